import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { POINTS, runForger, VARIANTS } from './forger-lab.ts';

/** The last commit that believed forged responses. */
const BELIEVING = 'da94308';
const ROUND_TRIPS_MS = [10, 60, 300];

const root = join(import.meta.dirname, '../../..');
const tree = process.env.NAMEPLATE_TREE ?? root;
const trials = VARIANTS.flatMap((variant) =>
  POINTS.flatMap((point) => ROUND_TRIPS_MS.map((rttMs) => ({ variant, point, rttMs }))),
);
/** All trials together take so long. */
const minutes = Number(process.env.FORGER_MINUTES ?? 30);
const seconds = (60 * minutes) / trials.length;

const mayMakeNamespaces = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(mayMakeNamespaces)('an attacker on no path, who floods forged responses (needs root on Linux)', () => {
  test.each(trials)('gets no $variant verified by forging the referral of the $point at $rttMs ms', async (trial) => {
    const result = await runForger({ ...trial, tree, seconds });
    console.log(JSON.stringify({ ...trial, ...result }));
    expect(result.verifiedAfter).toBeNull();
    expect(result.checks).toBeGreaterThan(0);
    expect(result.read + result.lost).toBeGreaterThan(1000);
  });

  test.runIf(hasCommit(BELIEVING))(`gets one verified at ${BELIEVING}`, async () => {
    const old = mkdtempSync(join(tmpdir(), 'nameplate-believing-'));
    try {
      const archive = execFileSync('git', ['archive', BELIEVING, 'src', 'package.json'], {
        cwd: root,
        maxBuffer: 2 ** 28,
      });
      execFileSync('tar', ['-x', '-C', old], { input: archive });
      symlinkSync(join(root, 'node_modules'), join(old, 'node_modules'));
      const trial = { variant: 'subdomain', point: 'registry', rttMs: 60 } as const;
      const result = await runForger({ ...trial, tree: old, seconds: 300 });
      console.log(JSON.stringify({ control: BELIEVING, ...trial, ...result }));
      expect(result.verifiedAfter).not.toBeNull();
    } finally {
      rmSync(old, { recursive: true });
    }
  });
});

function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    console.warn(`The control is skipped: this clone has no commit ${commit}.`);
    return false;
  }
}
