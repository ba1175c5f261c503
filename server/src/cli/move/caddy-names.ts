import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, messageOf } from '../cli-error.ts';
import { MOST_NAMES, type OldName, ownDataOf } from './old-name.ts';
import { type ReadCertificate, readCertificate } from './pem-file.ts';

/**
 * The names in the storage of Caddy, which certmagic lays out as `certificates/ISSUER/NAME/NAME.crt` and `.key`
 * (https://github.com/caddyserver/certmagic, `KeyBuilder`). Of several issuers' certificates a name has the one that
 * lasts longest. Throws `CliError`.
 */
export async function* caddyNames(directory: string, now: number): AsyncGenerator<OldName> {
  const { root, issuers } = await issuersIn(directory);
  let line = 0;
  for (const [at, issuer] of issuers.entries()) {
    for await (const { name } of await opendir(join(root, 'certificates', issuer))) {
      const found = await holders(root, issuers, name);
      // A dangling link, or a name that is no UTF-8, is nowhere: its problem is said.
      const others = found.length === 0 ? [issuer] : found;
      // The name came with an earlier issuer.
      if (others[0] !== issuer) continue;
      line += 1;
      if (line > MOST_NAMES) throw new CliError(`The directory has more than ${MOST_NAMES} names.`);
      yield await oldName(root, others, { name, line, now, share: at / issuers.length });
    }
  }
}

/** A server has two or three issuers. */
const MOST_ISSUERS = 100;

async function issuersIn(directory: string): Promise<{ root: string; issuers: string[] }> {
  try {
    const root = await realpath(directory);
    const issuers: string[] = [];
    for await (const entry of await opendir(join(root, 'certificates'))) {
      if (entry.isDirectory()) issuers.push(entry.name);
      if (issuers.length > MOST_ISSUERS) throw new Error('it has too many directories to be one of Caddy');
    }
    return { root, issuers: issuers.sort() };
  } catch (error) {
    throw new CliError(
      `Cannot read the storage of Caddy in ${directory}: ${messageOf(error)}. It is the directory that contains "certificates", such as /var/lib/caddy/.local/share/caddy.`,
    );
  }
}

/** The issuers that have something for a name. */
async function holders(root: string, issuers: readonly string[], name: string): Promise<string[]> {
  const found = await Promise.all(
    issuers.map((issuer) =>
      stat(join(root, 'certificates', issuer, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return issuers.filter((_, at) => found[at]);
}

interface Place {
  name: string;
  line: number;
  now: number;
  share: number;
}

async function oldName(root: string, issuers: readonly string[], { name, line, now, share }: Place): Promise<OldName> {
  const domain = name.replace(/^wildcard_(?=\.)/, '*');
  const { own, notes } = ownDataOf('caddy', {});
  const read = await Promise.all(
    issuers.map((issuer) => {
      const base = join(root, 'certificates', issuer, name, name);
      return readCertificate(domain, { certificate: `${base}.crt`, key: `${base}.key` }, now, root);
    }),
  );
  const usable = read.filter((one) => 'certificate' in one).sort((a, b) => b.notAfter - a.notAfter)[0];
  const named = { line, domain, own, share };
  if (usable !== undefined) return { ...named, certificate: usable.certificate, notes, problem: null };
  // Caddy served the name once: what expired is replaced by a certificate of ours.
  const reasons = read.map((one) => ('reason' in one ? one.reason : ''));
  if (read.some(isExpired))
    return { ...named, notes: [...notes, `Without its certificate: ${reasons.join(' ')}`], problem: null };
  return { ...named, notes, problem: reasons.join(' ') || 'There is no certificate.' };
}

function isExpired(read: ReadCertificate): boolean {
  return 'isExpired' in read && read.isExpired;
}
