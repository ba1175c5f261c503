import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { canonicalName } from '../../domain/name.ts';
import { reasonOf } from '../api/import-rows.ts';
import { messageOf } from '../cli-error.ts';
import type { OldCertificate } from './old-name.ts';

/** More than any chain or key that the API takes, in bytes. */
const LARGEST = 65_536;

/** A certificate that the API would take, or why not. */
export type ReadCertificate =
  | { certificate: OldCertificate; notAfter: number }
  | { reason: string; isExpired: boolean };

/** Reads a regular file, with `root` only inside that directory. Throws an error that says why it does not. */
export async function readPem(path: string, root?: string): Promise<string> {
  const real = await realpath(path);
  if (root !== undefined && !real.startsWith(`${root}${sep}`))
    throw new Error('it is a link to a file outside of the directory');
  // Opening a FIFO would otherwise block until somebody writes to it.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > LARGEST) throw new Error(`it is larger than ${LARGEST / 1024} KiB`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Reads a chain and its key, and checks them by the rules of domains.uploadCertificate. Never rejects. */
export async function readCertificate(
  domain: string,
  paths: { certificate: string; key: string },
  now: number,
  root?: string,
): Promise<ReadCertificate> {
  const { readImport } = await import('../../api/imported-certificate.ts');
  const { Problem } = await import('../../api/errors.ts');
  const [certificates, privateKey] = await Promise.all(
    [paths.certificate, paths.key].map((path) =>
      readPem(path, root).catch((error: unknown) => new Error(messageOf(error))),
    ),
  );
  if (typeof certificates !== 'string') return refused(`The certificate cannot be read: ${messageOf(certificates)}.`);
  if (typeof privateKey !== 'string') return refused(`The key cannot be read: ${messageOf(privateKey)}.`);
  try {
    const { notAfter } = readImport(canonicalName(domain) ?? domain, { certificates, privateKey }, now, 0);
    return { certificate: { certificates, privateKey }, notAfter };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const errors = error.errors ?? [];
    return refused(
      reasonOf({ detail: error.message, errors }),
      errors.some(({ message }) => message.includes('expire')),
    );
  }
}

function refused(reason: string, isExpired = false): ReadCertificate {
  return { reason, isExpired };
}
