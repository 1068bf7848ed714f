"""Things that scripts do to files, programs and the network. Each is the body of a script that runs in a folder of
precious files, ends without an error where isolation lets it, and prints `done` where it has seen its own effect."""

from __future__ import annotations

PRELUDE = """
import os, shutil, socket, sqlite3, subprocess, sys, tempfile, logging
from pathlib import Path
"""

FILES = {
    "open for writing": "open('model.pt', 'wb').write(b'new'); assert open('model.pt', 'rb').read() == b'new'",
    "append": "open('log.txt', 'a').write('more'); assert open('log.txt').read() == 'precious logmore'",
    "open r+": "f = open('model.pt', 'r+b'); f.write(b'XX'); f.close()\n"
    "assert open('model.pt', 'rb').read()[:2] == b'XX'",
    "os.open": "fd = os.open('model.pt', os.O_RDWR | os.O_TRUNC); os.write(fd, b'zz'); os.close(fd)\n"
    "assert Path('model.pt').read_bytes() == b'zz'",
    "exclusive": "open('new.txt', 'x').write('a')\n"
    "try:\n    open('model.pt', 'x')\nexcept FileExistsError:\n    pass\nelse:\n    raise SystemExit(1)",
    "numpy.save": "import numpy as np; np.save('a.npy', np.ones(3)); assert np.load('a.npy').sum() == 3",
    "numpy.tofile": "import numpy as np; np.ones(2).tofile('a.npy'); assert np.fromfile('a.npy').sum() == 2",
    "memmap": "import numpy as np; m = np.memmap('raw.bin', dtype='uint8', mode='r+'); m[:] = 7; m.flush(); del m\n"
    "assert set(open('raw.bin', 'rb').read()) == {7}",
    "write_text": "Path('log.txt').write_text('x'); assert Path('log.txt').read_text() == 'x'",
    "shutil.copy": "shutil.copy('log.txt', 'model.pt'); assert open('model.pt').read() == 'precious log'",
    "shutil.move": "shutil.move('log.txt', 'moved.txt'); assert not os.path.exists('log.txt')\n"
    "assert open('moved.txt').read() == 'precious log'",
    "move a folder": "shutil.move('runs', 'old'); assert not os.path.exists('runs') and os.listdir('old') == ['a']",
    "rmtree": "shutil.rmtree('runs'); assert not os.path.exists('runs')\n"
    "os.makedirs('runs'); assert not os.listdir('runs')",
    "rmtree everything": "for p in Path('.').iterdir():\n    shutil.rmtree(p) if p.is_dir() and not p.is_symlink() "
    "else p.unlink()\nassert os.listdir('.') == []",
    "os.replace": "open('t', 'w').write('new'); os.replace('t', 'model.pt'); assert open('model.pt').read() == 'new'",
    "temporary name, then rename": "open('model.pt.tmp', 'w').write('n'); os.rename('model.pt.tmp', 'model.pt')\n"
    "assert open('model.pt').read() == 'n' and not os.path.exists('model.pt.tmp')",
    "rename a folder": "os.rename('runs', 'runs.old'); assert open('runs.old/a').read() == 'precious run'\n"
    "os.mkdir('runs'); assert os.listdir('runs') == []",
    "temporary folder, then rename": "d = tempfile.mkdtemp(dir='.'); open(d + '/x', 'w').write('1')\n"
    "shutil.rmtree('runs'); os.rename(d, 'runs'); assert os.listdir('runs') == ['x']",
    "temporary file elsewhere, then move": "f, n = tempfile.mkstemp(); os.write(f, b'q'); os.close(f)\n"
    "shutil.move(n, 'model.pt'); assert open('model.pt').read() == 'q'",
    "os.remove": "os.remove('model.pt'); assert 'model.pt' not in os.listdir('.')\n"
    "assert not os.path.exists('model.pt') and not list(Path('.').glob('model*'))",
    "truncate": "os.truncate('model.pt', 1); assert os.stat('model.pt').st_size == 1",
    "chmod": "os.chmod('model.pt', 0o600); assert os.stat('model.pt').st_mode & 0o777 == 0o600",
    "utime": "os.utime('model.pt', (1, 1)); assert os.stat('model.pt').st_mtime == 1",
    "symlink": "os.symlink('model.pt', 'latest'); open('latest', 'w').write('by link')\n"
    "assert open('model.pt').read() == 'by link'",
    "through a link": "open('link/a', 'w').write('z'); assert open('runs/a').read() == 'z'",
    "hard link": "os.link('model.pt', 'second'); open('second', 'w').write('z'); assert open('second').read() == 'z'",
    "absolute path": "p = os.path.abspath('log.txt'); open(p, 'w').write('z'); assert open('log.txt').read() == 'z'",
    "another folder": "os.chdir('runs'); open('a', 'w').write('z'); assert Path('../runs/a').read_text() == 'z'",
    "logging": "logging.basicConfig(filename='log.txt', force=True); logging.warning('w')\n"
    "assert 'w' in open('log.txt').read()",
    "sqlite3": "c = sqlite3.connect('data.db'); c.execute('create table t (a)')\n"
    "c.execute('insert into t values (1)'); c.commit(); c.close()\n"
    "assert sqlite3.connect('data.db').execute('select * from t').fetchall() == [(1,)]",
    "home": "p = Path.home() / 'precious.txt'; p.write_text('n'); assert p.read_text() == 'n'\n"
    "(Path.home() / 'made-by-script').mkdir(); p.unlink()",
    "temporary folder": "p = Path(os.environ['PRECIOUS_TMP']) / 'precious.txt'; p.write_text('n')\n"
    "assert p.read_text() == 'n'",
    "site-packages": "import json; p = Path(json.__file__).parent / 'traindx_was_here.py'\n"
    "try:\n    p.write_text('n')\nexcept PermissionError:\n    pass",
    "shared memory": "Path('/dev/shm/traindx_was_here').write_text('n')",
    "pickle": "import pickle; pickle.dump([1], open('model.pt', 'wb'))\n"
    "assert pickle.load(open('model.pt', 'rb')) == [1]",
    "zip": "import zipfile\nwith zipfile.ZipFile('z.zip', 'w') as z:\n    z.write('log.txt')\n"
    "zipfile.ZipFile('z.zip').extractall('runs')\nassert os.path.exists('runs/log.txt')",
}  # fmt: skip

TORCH = {
    "torch.save": "import torch; torch.save({'a': torch.ones(2)}, 'model.pt')\n"
    "assert torch.load('model.pt')['a'].sum() == 2",
    "torch.save, then rename": "import torch; torch.save(torch.ones(2), 'x.tmp'); os.replace('x.tmp', 'model.pt')\n"
    "assert torch.load('model.pt').sum() == 2",
    "torch.jit.save": "import torch; m = torch.jit.trace(torch.nn.Linear(1, 1), torch.ones(1, 1))\n"
    "torch.jit.save(m, 'model.pt'); torch.jit.load('model.pt'); m.save('model.pt')",
    "safetensors": "import torch; from safetensors.torch import save_file, load_file\n"
    "save_file({'a': torch.ones(2)}, 'model.pt'); assert load_file('model.pt')['a'].sum() == 2",
    "SummaryWriter": "from torch.utils.tensorboard import SummaryWriter; w = SummaryWriter('runs')\n"
    "w.add_scalar('a', 1, 1); w.close(); assert len(os.listdir('runs')) == 2",
    "loader with workers": "import torch; from torch.utils.data import DataLoader\n"
    "assert sum(len(b) for b in DataLoader(torch.randn(64, 3), batch_size=8, num_workers=2)) == 64\n"
    "open('log.txt', 'w').write('z')",
}  # fmt: skip

# Other programs: they work in the kernel's isolation, and are refused where Python's layer is all there is.
PROGRAMS = {
    "sh": "subprocess.run('echo new > model.pt; rm -r runs; cat model.pt', shell=True, check=True)",
    "os.system": "assert os.system('rm -rf runs model.pt') == 0",
    "a program that goes on": "subprocess.Popen(['sh', '-c', 'sleep 2; echo late > model.pt'], start_new_session=True)",
    "os.posix_spawn": "p = os.posix_spawn('/bin/rm', ['rm', '-rf', 'runs'], os.environ); os.waitpid(p, 0)",
}
# A daemon is a fork that leaves its session: it ends with the script in every mode.
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        while True:
            time.sleep(0.05)
            open(os.environ['BEACON'], 'a').write('x')
    os._exit(0)
os.wait()
"""
CONNECT = """
port = int(os.environ['PORT'])
for family, address in ((socket.AF_INET, ('127.0.0.1', port)), (socket.AF_UNIX, os.environ['SOCKET'])):
    try:
        with socket.socket(family) as s:
            s.settimeout(2)
            s.connect(address)
            s.sendall(b'hello')
    except OSError as error:
        print('refused', error)
"""
DATAGRAM = """
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'hello', ('127.0.0.1', int(os.environ['PORT'])))
except OSError as error:
    print('refused', error)
"""

# Runs every attack in a folder of its own and tells which ones failed.
ALL = """
import json, traceback
start, told = os.getcwd(), {}
for name, (folder, body) in json.loads(os.environ['ATTACKS']).items():
    os.chdir(os.path.join(start, '..', folder))
    try:
        exec(body, dict(globals()))
        told[name] = 'done'
    except BaseException:
        told[name] = traceback.format_exc()
os.chdir(start)
print(json.dumps(told))
"""


def folder_of(name: str) -> str:
    return "project of " + name.replace("/", " ")
