import { AsyncLocalStorage } from 'node:async_hooks';
import { PLAYGROUND_COMMANDS } from '../../playground/commands.ts';
import { runCommand } from '../../server/src/cli/program.ts';

/** The parts of a process that a command has for itself. */
interface CommandProcess {
  env: NodeJS.ProcessEnv;
  stdout: string;
  stderr: string;
  exitCode: typeof process.exitCode;
}

const current = new AsyncLocalStorage<CommandProcess>();
let divided = false;

/**
 * Runs a command of the program in this process, with variables, output and exit code of its own: whatever it does, and
 * whatever follows from that, sees its own `process.env`, `process.exitCode`, `process.stdout` and `process.stderr`.
 * Several may run at once.
 */
export async function runInProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  divideProcess();
  const own: CommandProcess = { env, stdout: '', stderr: '', exitCode: undefined };
  await current.run(own, () => runCommand(args, PLAYGROUND_COMMANDS));
  return { code: Number(own.exitCode ?? 0), stdout: own.stdout, stderr: own.stderr };
}

function divideProcess(): void {
  if (divided) return;
  divided = true;
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      const own = current.getStore();
      if (own === undefined) return write(...args);
      own[name] += String(args[0]);
      return true;
    };
  }
  const { env } = process;
  Object.defineProperty(process, 'env', {
    configurable: true,
    enumerable: true,
    get: () => current.getStore()?.env ?? env,
  });
  // The exit code of the real process cannot be redefined.
  globalThis.process = new Proxy(process, {
    get(target, name) {
      const own = current.getStore();
      return own !== undefined && name === 'exitCode' ? own.exitCode : Reflect.get(target, name);
    },
    set(target, name, value) {
      const own = current.getStore();
      if (own === undefined || name !== 'exitCode') return Reflect.set(target, name, value);
      own.exitCode = value;
      return true;
    },
  });
}
