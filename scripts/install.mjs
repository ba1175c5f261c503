// Runs before every npm script, on any version of Node: installs the packages of the lock file if they are not
// installed yet.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';

const lock = 'package-lock.json';
const stamp = 'node_modules/.installed-lock.json';

const fresh = existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock));
if (!fresh) {
  console.error('nameplate: installing the packages of package-lock.json (once, usually under a minute)…');
  const started = Date.now();
  // loglevel error: npm runs on the system's Node and the program on the pinned one, so engine warnings would mislead.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    console.error('nameplate: "npm ci" failed (see above). Fix that, then run the same command again.');
    process.exit(1);
  }
  copyFileSync(lock, stamp);
  console.error(`nameplate: installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
