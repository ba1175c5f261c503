import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from './debian.ts';

// Unpacks Debian packages that tests need into the clone: `node test/support/debian.install.ts dns knot unbound`. The
// packages are fetched and unpacked, never installed, so that no service starts and nothing outside the clone changes;
// that needs no root either. apt-get finds out which shared libraries the machine lacks, and fetches them too.

const [FOLDER = '', ...PACKAGES] = process.argv.slice(2);
const UNPACKED = join(TOOLS, FOLDER);
const APT = join(TOOLS, 'apt');
const ARCHIVES = join(APT, 'archives');
const FETCH = ['--assume-yes', '--no-install-recommends', '--no-remove', '--reinstall', '--download-only', 'install'];

const IN_CLONE = {
  'Dir::Cache': APT,
  'Dir::Cache::archives': ARCHIVES,
  // The machine's package database is only read.
  'Debug::NoLocking': '1',
  'APT::Sandbox::User': '',
};
const OWN_LISTS = { ...IN_CLONE, 'Dir::State::lists': join(APT, 'lists') };

// Another test file may have been quicker.
if (!existsSync(UNPACKED)) install();

function install(): void {
  const began = Date.now();
  say(`fetching ${PACKAGES.join(' and ')} for the tests (once, a few MB)…`);
  for (const folder of ['archives', 'lists']) mkdirSync(join(APT, folder, 'partial'), { recursive: true });
  if (apt(IN_CLONE, FETCH, PACKAGES) !== null) {
    say("the machine's package lists do not do; fetching fresh ones into the clone (about 15 MB)…");
    const updateFailure = apt(OWN_LISTS, ['update', '--error-on=any']);
    const failure = apt(OWN_LISTS, FETCH, PACKAGES);
    if (failure !== null) fail(`"apt-get" cannot fetch ${PACKAGES.join(' and ')}: ${updateFailure ?? failure}`);
  }
  const unfinished = `${UNPACKED}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  for (const archive of readdirSync(ARCHIVES).filter((name) => name.endsWith('.deb'))) {
    const failure = run('dpkg', ['--extract', join(ARCHIVES, archive), unfinished]);
    if (failure !== null) fail(`${archive} cannot be unpacked: ${failure}`);
  }
  renameSync(unfinished, UNPACKED);
  rmSync(APT, { recursive: true });
  say(`unpacked into ${UNPACKED} in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

function apt(settings: Record<string, string>, ...words: string[][]): string | null {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return run('apt-get', [...options, ...words.flat()]);
}

/** Runs a program. Returns its own words when it fails; null when it succeeds. */
function run(program: string, words: string[]): string | null {
  const { status, error, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (error !== undefined) return `${program} cannot be run here (${error.message}).`;
  if (status === 0) return null;
  return stderr.match(/^E: .*/m)?.[0] ?? (stderr.trim() || `${program} ended with status ${status}.`);
}

function say(text: string): void {
  console.error(`nameplate: ${text}`);
}

function fail(reason: string): never {
  say(`the tests need ${PACKAGES.join(' and ')}, unpacked from the packages of Debian 12 or a relative. ${reason}`);
  process.exit(1);
}
