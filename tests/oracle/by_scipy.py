# SPDX-License-Identifier: Apache-2.0
"""Intervals and tests by scipy. A part is (values, weight): independent numbers, whose mean counts with the weight."""

import dataclasses

import numpy
from scipy import optimize, special, stats

RATE = 0.05


@dataclasses.dataclass
class Number:
    value: float
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    degrees: float | None = None


def scaled(number, factor):
    """Return the number and the ends of its interval times a factor. None stays None."""
    return number and Number(*(None if each is None else factor * each for each in (number.value, number.low, number.high)))


def contrast(parts, rate=RATE):
    """The weighted sum of the parts' means with its 95 % interval; scipy's own tests where it has one."""
    estimate = sum(weight * numpy.mean(values) for values, weight in parts)
    if any(len(values) < 2 for values, _ in parts):
        return Number(estimate)
    of_means = [(weight * numpy.std(values, ddof=1)) ** 2 / len(values) for values, weight in parts]
    variance = sum(of_means)
    if variance == 0:
        return Number(estimate, estimate, estimate, 0.0)
    degrees = variance**2 / sum(own**2 / (len(values) - 1) for own, (values, _) in zip(of_means, parts, strict=True))
    low, high = _interval(parts, estimate, variance, degrees, rate)
    return Number(estimate, low, high, numpy.sqrt(variance), degrees)


def _interval(parts, estimate, variance, degrees, rate):
    weights = [weight for _, weight in parts]
    if weights == [1]:
        values = parts[0][0]
        return stats.t.interval(1 - rate, len(values) - 1, loc=estimate, scale=stats.sem(values))
    if weights == [1, -1]:
        found = stats.ttest_ind(parts[0][0], parts[1][0], equal_var=False).confidence_interval(1 - rate)
        return found.low, found.high
    return stats.t.interval(1 - rate, degrees, loc=estimate, scale=numpy.sqrt(variance))


def ratio(parts, divisor=1.0):
    """The exponential of a contrast of logarithms."""
    found = contrast(parts)
    ends = [None if end is None else numpy.exp(end) / divisor for end in (found.low, found.high)]
    return Number(numpy.exp(found.value) / divisor, *ends)


def log_ratio(a, b, share_rounds, weight=1.0):
    """Parts of weight · log(a / b). Both are series by (run, round, environment); two rounds in common make pairs."""
    a, b = a.to_dict(), b.to_dict()
    common = [each for each in a if each in b] if share_rounds else []
    if len(common) >= 2:
        return [(numpy.log([a[each] / b[each] for each in common]), weight)]
    return [(numpy.log(list(a.values())), weight), (numpy.log(list(b.values())), -weight)]


def percentile(processes, q, rate=RATE):
    """The quantile of all values with the order statistics around it. Processes whose shares beyond it differ by more than
    chance are worth fewer independent values (docs/metrics.md)."""
    values = numpy.sort(numpy.concatenate(processes))
    found = Number(numpy.quantile(values, q))
    worth = _independent(processes, found.value, rate)
    if max(q, 1 - q)**worth > rate / 2:  # an end beyond all values
        return found
    at_most = lambda count: special.betainc(worth - count, count + 1, 1 - q)  # noqa: E731
    of_each = len(values) / worth
    below = optimize.brentq(lambda count: at_most(count) - rate / 2, 0, worth * q, xtol=1e-12)
    reached = optimize.brentq(lambda count: 1 - at_most(count - 1) - rate / 2, worth * q, worth, xtol=1e-12)
    found.low = values[int(below * of_each + 1e-6)]
    found.high = values[int(numpy.ceil(reached * of_each - 1e-6)) - 1]
    return found


def _independent(processes, limit, rate):
    sizes = numpy.array([len(each) for each in processes])
    beyond = numpy.array([(each >= limit).sum() for each in processes])
    n, share, count = sizes.sum(), beyond.sum() / sizes.sum(), len(processes)
    if count < 2 or share in (0, 1):
        return n
    effect = count / (count - 1) * ((beyond - share * sizes)**2).sum() / (n * share * (1 - share))
    if effect <= 1 or stats.f.sf(effect, count - 1, n) >= RATE:
        return n
    return n / effect * (stats.norm.isf(rate / 2) / stats.t.isf(rate / 2, count - 1))**2


def p_values(questions, sides):
    """Two-sided p values of "no difference"; None where no test is possible. A part varies at least as much as is usual of the
    two sides that a question is about: as the mean over the parts in its place of all questions with these sides, without the
    noisiest tenth, if there are two (docs/metrics.md)."""
    def is_enough(parts):
        return bool(parts) and all(len(values) >= 3 for values, _ in parts)

    deviations = {}
    for parts, of in zip(questions, sides, strict=True):
        for place, (values, _) in enumerate(parts if is_enough(parts) else []):
            deviations.setdefault((of, len(parts), place), []).append(numpy.std(values, ddof=1))
    usual = {key: numpy.mean(sorted(there)[:len(there) - len(there) // 10]) if len(there) > 1 else 0.0
             for key, there in deviations.items()}
    return [_p(parts, [usual[of, len(parts), place] for place in range(len(parts))]) if is_enough(parts) else None
            for parts, of in zip(questions, sides, strict=True)]


@dataclasses.dataclass
class Tested:
    p: float
    estimate: float
    half_width: float


def _p(parts, floors):
    deviations = [weight * max(numpy.std(values, ddof=1), floors[place]) for place, (values, weight) in enumerate(parts)]
    counts = [len(values) for values, _ in parts]
    of_means = [deviation**2 / count for deviation, count in zip(deviations, counts, strict=True)]
    variance = sum(of_means)
    if variance == 0:
        return None
    degrees = variance**2 / sum(own**2 / (count - 1) for own, count in zip(of_means, counts, strict=True))
    estimate = sum(weight * numpy.mean(values) for values, weight in parts)
    error = numpy.sqrt(variance)
    return Tested(2 * stats.t.sf(abs(estimate) / error, degrees), estimate, stats.t.isf(RATE / 2, degrees) * error)


def adjusted(values):
    """Benjamini's and Hochberg's adjusted p values."""
    return list(stats.false_discovery_control(values, method="bh")) if len(values) else []


def holm(values):
    """Holm's adjusted p values."""
    order = numpy.argsort(values, kind="stable")
    found = numpy.empty(len(values))
    found[order] = numpy.minimum(1, numpy.maximum.accumulate(numpy.asarray(values)[order] * numpy.arange(len(values), 0, -1)))
    return list(found)


def judge(questions, sides, margin=0.03, weights=None, adjust=adjusted):
    """(adjusted p, verdict) of each question; (None, "undecided") where no test is possible. A p value counts as often as
    the question's weight says."""
    tests = p_values(questions, sides)
    possible = [place for place, test in enumerate(tests) if test is not None]
    counted = [min(1.0, tests[place].p * (weights[place] if weights else 1)) for place in possible]
    by_place = dict(zip(possible, adjust(counted), strict=True))
    return [(None, "undecided") if place not in by_place else (by_place[place], _verdict(tests[place], by_place[place], margin))
            for place in range(len(questions))]


def _verdict(test, adjusted_p, margin):
    if adjusted_p < RATE:
        return "faster" if test.estimate > 0 else "slower"
    return "same" if abs(test.estimate) + test.half_width < numpy.log1p(margin) else "undecided"


def slope_behind_knees(x, y):
    """The median slope of all pairs behind the last place from which on another line fits (docs/metrics.md)."""
    def squares(of_x, of_y):
        return numpy.sum((of_y - numpy.polyval(numpy.polyfit(of_x - x[0], of_y - y[0], 1), of_x - x[0]) - y[0]) ** 2)

    behind = max(8, len(x) // 5)
    while len(x) >= behind + 3:
        least = min((squares(x[:at], y[:at]) + squares(x[at:], y[at:]), at) for at in range(3, len(x) - behind + 1))
        if least[0] >= squares(x, y) / 4:
            break
        x, y = x[least[1]:], y[least[1]:]
    return stats.theilslopes(y, x).slope


def like_count(repetitions):
    """The repetitions that count where two cells have different numbers: above 128, in steps of a sixteenth."""
    count = 1
    while (following := count + 1 if count < 128 else count + count // 16) <= repetitions:
        count = following
    return count
