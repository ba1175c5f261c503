// Runs before every npm script, on whatever Node the machine has: installs what the lock file says, if that is not there yet.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';

const lock = 'package-lock.json';
const stamp = 'node_modules/.installed-lock.json';

const fresh = existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock));
if (!fresh) {
  console.error('nameplate: installing the packages of package-lock.json (once, usually under a minute)…');
  const started = Date.now();
  // loglevel error: npm runs on the machine's own Node, the program on the pinned one, so engine warnings would mislead.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    console.error('nameplate: "npm ci" failed (its message is above). Mend that, then run the same command again.');
    process.exit(1);
  }
  copyFileSync(lock, stamp);
  console.error(`nameplate: installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
