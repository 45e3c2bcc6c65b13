"""Starts the ranks of one job of plugin_rank.py and gathers their results."""
import json, os, pathlib, subprocess, sys, tempfile

from compile_caches import KERNELS_ONLY, everything_in

HERE = pathlib.Path(__file__).parent


def run_job(job, ranks, caches=None, deadline=900):
    """Returns the result of each rank. `caches`: a folder for each rank's compile cache; none: no graph is cached."""
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for rank in range(ranks):
            environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks), "OMP_NUM_THREADS": "1",
                           "TORCHINDUCTOR_COMPILE_THREADS": "1", "PYTHONFAULTHANDLER": "1",
                           "PYTHONPATH": os.pathsep.join([str(HERE.parent.parent / "frontend/python"),
                                                          os.environ.get("PYTHONPATH", "")])}
            environment.update(KERNELS_ONLY if caches is None else everything_in(caches[rank]))
            processes.append(subprocess.Popen([sys.executable, str(HERE / "plugin_rank.py"), folder, json.dumps(job)],
                                              env=environment,
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        try:
            said = [process.communicate(timeout=deadline)[0] for process in processes]
        finally:
            for process in processes:
                process.kill()  # after a time-out, ranks would wait in a folder that is removed
        outcomes = []
        for rank in range(ranks):
            try:
                outcomes.append(json.loads(pathlib.Path(folder, f"rank{rank}.json").read_text(encoding="utf-8")))
            except FileNotFoundError:
                outcomes.append({"error": "the process ended: " + said[rank][-2000:]})
        return outcomes
