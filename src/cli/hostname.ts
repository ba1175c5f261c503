import { CliError, EXIT } from './cli-error.ts';
import { printable } from './output.ts';

/** The name that was typed, in canonical form. Throws `CliError`. */
export async function hostnameOf(name: string): Promise<string> {
  const { canonicalName } = await import('../domain/name.ts');
  const hostname = canonicalName(name);
  if (hostname === null) throw new CliError(`"${printable(name)}" is not a domain name.`, { exitCode: EXIT.usage });
  return hostname;
}
