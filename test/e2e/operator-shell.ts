import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** One shell that commands are typed into, one after the other; a command may replace the shell by another. */
export interface Shell {
  /** The output of the command on both streams, and its exit code. */
  type(line: string): Promise<{ code: number; output: string }>;
  close(): Promise<void>;
}

const END = '\u001e';

/** `tools` is a directory whose programs come first. */
export function openShell({ cwd, tools }: { cwd: string; tools: string }): Shell {
  const path = `${tools}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const child = spawn('bash', { cwd, env: { PATH: path, HOME: '/root' }, stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      child.emit('printed');
    });
  const ended = once(child, 'close');
  child.stdin.write('exec 2>&1\n');
  return {
    async type(line) {
      printed = '';
      child.stdin.write(`${line}\nprintf '${END}%s${END}' $?\n`);
      for (;;) {
        const [, output = '', code] = new RegExp(`^([^${END}]*)${END}(\\d+)${END}$`).exec(printed) ?? [];
        if (code !== undefined) return { code: Number(code), output };
        if (child.exitCode !== null) throw new Error(`the shell ended in "${line}": ${printed}`);
        await Promise.race([once(child, 'printed'), ended]);
      }
    },
    async close() {
      child.stdin.end('exit\n');
      await ended;
    },
  };
}
