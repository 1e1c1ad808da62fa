# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of the hosts of hosts.py: munged and slurmctld here, a slurmd on each host. Needs root and Slurm."""

import os
import shutil
import signal
import subprocess

import hosts as network

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def missing():
    """Why there can be no cluster here; None if there can."""
    for program in ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue"):
        if shutil.which(program, path=PATH) is None:
            return f"{program} is not installed"
    return network.missing()


def configuration(folder, hosts):
    """slurmctld listens on all addresses, so that each cluster of this machine needs a port of its own."""
    here = os.uname().nodename
    nodes = "".join(f"NodeName={host.name} NodeHostname={here} NodeAddr={host.address} Port=16818 CPUs=1 RealMemory=500 "
                    f"Feature=edge\n" for host in hosts.all)
    return f"""ClusterName=test
SlurmctldHost={here}({hosts.network.prefix}.1)
SlurmctldPort={16817 + hosts.network.number}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/slurmd.%n
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=6
TCPTimeout=1
MessageTimeout=3
KillWait=2
ReturnToService=2
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
{nodes}PartitionName=bench Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE
PartitionName=urgent Nodes=ALL OverSubscribe=EXCLUSIVE PriorityTier=10
"""


class Cluster:
    """`environment` is what Slurm's commands need."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.folder = hosts.folder / "slurm"
        self.running = {}
        (self.folder / "state").mkdir(parents=True)
        (self.folder / "slurm.conf").write_text(configuration(self.folder, hosts))
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": PATH}
        try:
            self.begin()
        except BaseException:
            self.remove()
            raise

    def begin(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                   f"--seed-file={self.folder}/munged.seed")
        self.wait_until(lambda: (self.folder / "munge.socket").exists())
        self.start("slurmctld", "-D")
        for host in self.hosts.all:
            (self.folder / f"slurmd.{host.name}").mkdir()
            self.start_node(host)
        self.wait_until_idle()

    def start(self, name, *words, before=()):
        log = (self.folder / f"{name}.out").open("ab")
        program = [*before, shutil.which(name.split("@")[0], path=PATH), *words]
        self.running[name] = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                              env={**os.environ, **self.environment}, start_new_session=True)
        log.close()

    def start_node(self, host):
        self.start(f"slurmd@{host.name}", "-D", "-N", host.name, before=["nsenter", f"--net=/run/netns/{host.space}"])

    def lose_node(self, host):
        """Its slurmd and everything on it is gone at once."""
        host.power_off()
        self.running[f"slurmd@{host.name}"].wait()

    def command(self, *words):
        done = subprocess.run(words, env={**os.environ, **self.environment}, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def jobs(self):
        """Name, state, node, number and time limit of every job that has not ended."""
        told = self.command("squeue", "-h", "-o", "%j %T %N %i %l")
        return [dict(zip(("name", "state", "node", "id", "limit"), line.split(" "))) for line in told.splitlines()]

    def wait_until_idle(self):
        """Every node can take a job."""
        names = [host.name for host in self.hosts.all]
        self.wait_until(lambda: self.command("sinfo", "-h", "-N", "-t", "idle", "-p", "bench", "-o", "%N").split() == names)

    def wait_until(self, is_so, patience_s=30):
        network.wait_until(is_so, self.folder, patience_s)

    def reset(self):
        """Makes the cluster what it was at first: it has no job, and every node can take one."""
        if self.jobs():
            self.command("scancel", "--me")
            self.wait_until(lambda: self.jobs() == [])
        for host in self.hosts.all:
            if self.running[f"slurmd@{host.name}"].poll() is not None:
                self.start_node(host)
        for node in self.command("sinfo", "-h", "-N", "-t", "drain", "-p", "bench", "-o", "%N").split():
            self.command("scontrol", "update", f"NodeName={node}", "State=RESUME")
        self.wait_until_idle()

    def devices(self, toolchains=None):
        """As a study's `devices`, in YAML."""
        more = f", toolchains: {toolchains}" if toolchains else ""
        return "".join(f"  - {host.name}: {{slurm: {{partition: bench, nodes: [{host.name}]}}, "
                       f"folder: {host.folder}{more}}}\n" for host in self.hosts.all)

    def remove(self):
        for process in reversed(self.running.values()):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
