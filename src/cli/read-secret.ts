import { readFileSync } from 'node:fs';
import { CliError, messageOf } from './cli-error.ts';

const STANDARD_INPUT = 0;

/** Reads a secret from a file, or with `-` from standard input: it is the only word there. `what`: as errors call it. Throws `CliError`. */
export function readSecret(path: string, what: string): string {
  const source = path === '-' ? 'standard input' : path;
  const text = readText(path, what, source).trim();
  if (text === '' || /\s/.test(text)) throw new CliError(`Expected one ${what} in ${source}, and nothing else.`);
  return text;
}

function readText(path: string, what: string, source: string): string {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path, 'utf8');
  } catch (error) {
    throw new CliError(`Cannot read the ${what} from ${source}: ${messageOf(error)}`);
  }
}
