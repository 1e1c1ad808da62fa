# SPDX-License-Identifier: Apache-2.0
"""What starts take, and what sessions leave behind."""


def metrics_of(oracle, key):
    """{name: value or None}."""
    phases = oracle.raw.of_processes("phase", key)
    before_warm_up = phases[phases["phase"].isin(("start", "open", "compile", "load", "check"))]
    start_s = before_warm_up.groupby("process_key")["wall_ns"].sum() * 1e-9
    is_warm = start_s.index.isin(phases[phases["phase"] == "load"]["process_key"])
    sessions = oracle.raw.of_processes("reading", key).query("moment == 'session' and quantity == 'session'")["value"]
    medians = {"cold_start_s": start_s[~is_warm], "warm_start_s": start_s[is_warm], "session_s": sessions}
    return {"session_memory_bytes": oracle.memory_growth(key, "session", "sessions"),
            **{name: each.median() if len(each) and oracle.has_speed(key) else None for name, each in medians.items()}}
