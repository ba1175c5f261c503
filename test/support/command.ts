import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ready } from '../../server/src/cli/data-dir.ts';
import { runInProcess } from './command-in-process.ts';

/** The program as people run it: `bin/nameplate`, in a process of its own, from the clone. */

export const CLONE = fileURLToPath(new URL('../..', import.meta.url));

/** How a program ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  /**
   * Resolves with what a pattern finds in standard output (or error), once it is there; rejects when the program ends
   * without it.
   */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Ended>;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Ended>;
}

export interface Surroundings {
  env?: Record<string, string>;
  /** Standard input; closed at once unless given. */
  input?: string;
}

/** Starts `bin/nameplate` with these arguments. */
export function start(args: string[], surroundings: Surroundings = {}): Started {
  return startCommand('./bin/nameplate', args, surroundings);
}

/** Commands that take signals. */
const SERVING = ['dev', 'demo', 'serve'];

/**
 * Runs a command to its end: in this process, which takes a tenth of the time, unless it depends on a process, as those
 * that take signals do and those that read standard input. Where the process is what a test is about, `start` has one.
 */
export async function run(args: string[], surroundings: Surroundings = {}): Promise<Ended> {
  const { env = {}, input } = surroundings;
  if (input !== undefined || SERVING.includes(args[0] ?? '')) return start(args, surroundings).ended;
  return { signal: null, ...(await runInProcess(args, { ...clean(process.env), ...env })) };
}

/** Types a line into a shell, in the clone, and waits for its end. */
export function type(line: string): Promise<Ended> {
  return startTyped(line).ended;
}

export function startTyped(line: string): Started {
  return startCommand('sh', ['-c', `exec ${line}`], {});
}

/** Starts a script of package.json as npm does: npm passes signals on to the shell, and to nothing below it. */
export function startScript(name: 'start' | 'demo', flags: string[]): Started {
  const { scripts } = JSON.parse(readFileSync(join(CLONE, 'package.json'), 'utf8'));
  return startCommand('sh', ['-c', [scripts[name], ...flags].join(' ')], {});
}

/** Runs a command with `--json` that must succeed, and reads its one document. */
export async function runJson<T>(args: string[], surroundings: Surroundings = {}): Promise<T> {
  const { code, stdout, stderr } = await run([...args, '--json'], surroundings);
  if (code !== 0) throw new Error(`nameplate ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A new directory under the system's, and how to remove it. */
export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'nameplate-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** So that playgrounds run beside each other. */
export const ANY_PORTS = ['--port', '0', '--dns-port', '0', '--edge-http-port', '0', '--edge-https-port', '0'];

/** A running playground with ports and data of its own. */
export async function startPlayground(data: string, flags: string[] = []): Promise<Started & { ready: Ready }> {
  const started = start(['dev', '--json', '--data', data, ...ANY_PORTS, ...flags]);
  const [line] = await started.says(/^\{"event":"ready".*\}$/m);
  return { ...started, ready: JSON.parse(line) as Ready };
}

/** Starts any program, in the clone. */
export function startCommand(command: string, args: string[], { env = {}, input }: Surroundings): Started {
  const child = spawn(command, args, { cwd: CLONE, env: { ...clean(process.env), ...env }, stdio: 'pipe' });
  return watch(child, input);
}

/** A program whose standard streams are pipes. */
export function watch(child: ChildProcessWithoutNullStreams, input?: string): Started {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      child.emit('said');
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }) as Ended);
  return {
    child,
    ended,
    async says(pattern) {
      let over = false;
      ended.then(() => {
        over = true;
        child.emit('said');
      });
      for (;;) {
        const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (found !== null) return found;
        if (over) throw new Error(`the program ended without saying ${pattern}: ${output.stdout}${output.stderr}`);
        await once(child, 'said');
      }
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Without what the machine's own environment may configure. */
function clean(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^NAMEPLATE_|^FORCE_COLOR$/.test(name)));
}
