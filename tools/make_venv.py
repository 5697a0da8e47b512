"""Make .venv beside the ./ensue script: the locked dependencies and this checkout, installed editable.

Called by ./ensue when the stamp in .venv is not what it should be; needs nothing but the standard library.
An interrupted run leaves no stamp, and the next one starts from nothing. Of several runs at once one works,
under a lock that the kernel drops when it and all it started have ended; the others wait and find the work done.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
VENV = HOME / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "ensue-stamp"
LOCK = HOME / "requirements.lock"
PROJECT = HOME / "pyproject.toml"


def expected_stamp() -> bytes:
    """What ./ensue compares: the place (a moved .venv does not work), the lock and the project file."""
    return f"{HOME}\n".encode() + LOCK.read_bytes() + PROJECT.read_bytes()


def is_usable() -> bool:
    """Whether an older, complete .venv of this very place can be brought up to date instead of made anew."""
    return PYTHON.exists() and STAMP.exists() and STAMP.read_bytes().startswith(f"{HOME}\n".encode())


def python(*arguments: str, executable: str = str(PYTHON)) -> None:
    """Run a module of Python; it keeps the lock (an open file) even if this process is killed."""
    subprocess.run([executable, "-m", *arguments], close_fds=False, check=True)


def install() -> None:
    if is_usable():
        STAMP.unlink()
    else:
        shutil.rmtree(VENV, ignore_errors=True)
        python("venv", str(VENV), executable=sys.executable)
    pip = ("pip", "--quiet", "--disable-pip-version-check", "install")
    python(*pip, "--require-hashes", "--no-compile", "--requirement", str(LOCK))
    compile_on_all_cores()
    python(*pip, "--no-deps", "--no-build-isolation", "--editable", str(HOME))


def compile_on_all_cores() -> None:
    """Twice as fast as pip does it; and without it, starts are slow for ever where Python may not write bytecode."""
    command = [str(PYTHON), "-m", "compileall", "-q", "-j", "0", "-x", "/tests?/", "lib"]
    # some libraries ship files that do not compile
    subprocess.run(command, cwd=VENV, stdout=subprocess.DEVNULL, close_fds=False, check=False)


def main() -> int:
    with (HOME / ".venv.lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = expected_stamp()
        if PYTHON.exists() and STAMP.exists() and STAMP.read_bytes() == stamp:
            return 0  # another start did it while this one waited
        doing = "updating .venv" if is_usable() else "installing what it needs into .venv, once"
        print(f"ensue: {doing} …", file=sys.stderr)
        try:
            install()
        except subprocess.CalledProcessError as error:
            print(f"ensue: could not set up {VENV}, see above; failed: {' '.join(error.cmd)}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("ensue: interrupted; the next start begins the installation anew.", file=sys.stderr)
            return 130
        unfinished = STAMP.with_suffix(".new")
        unfinished.write_bytes(stamp)
        unfinished.replace(STAMP)
    return 0


if __name__ == "__main__":
    sys.exit(main())
