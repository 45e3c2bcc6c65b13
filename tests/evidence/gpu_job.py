"""Runs the programs of one job on one device: a process for each rank, or one for all if the engine runs the ranks
itself."""
import os, shutil, socket, subprocess

SECONDS = 1800
LAUNCHER = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")


def free_port():
    """Returns a port whose next port is free, since the processes meet there (docs/gpu.md)."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1] - 1


def environment(rank, ranks, port):
    """Returns the environment of one of several ranks that share a device: NCCL treats each as a separate host, and
    bytes go over sockets."""
    plain = {name: value for name, value in os.environ.items() if name not in LAUNCHER}
    job = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(rank), "MASTER_ADDR": "localhost",
           "MASTER_PORT": str(port)}
    shared = {"NCCL_HOSTID": f"rank{rank}", "NCCL_SOCKET_IFNAME": "lo", "NCCL_MAX_CTAS": "4"} if ranks > 1 else {}
    return {**plain, **job, **shared}


class Job:
    """Runs commands for an engine; `spread` means that it has a process for each rank."""

    def __init__(self, engine):
        self.engine, self.spread = engine, engine == "nccl"

    def run(self, ranks, command):
        """Returns (every process succeeded, the output of rank 0, the output of the others and all error streams)."""
        if not os.access(command[0], os.X_OK) and not shutil.which(command[0]):
            return False, "", f"there is no program {command[0]}"
        count, port = (ranks, free_port()) if self.spread else (1, 0)
        started = [subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    env=environment(rank, ranks, port) if self.spread else None)
                                    for rank in range(count)]
        told = []
        for process in started:
            try:
                told.append(process.communicate(timeout=SECONDS))
            except subprocess.TimeoutExpired:
                process.kill()
                told.append((process.communicate()[0], f"no end within {SECONDS} s"))
        well = all(process.returncode == 0 for process in started)
        return well, told[0][0], "\n".join(text for rank, (out, err) in enumerate(told)
                                           for text in ((err,) if rank == 0 else (out, err)) if text)
