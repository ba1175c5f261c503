import { dirname, resolve } from 'node:path';
import { readRows } from '../api/domains-csv.ts';
import type { PathOptions } from '../api/tree-commands.ts';
import { type OldName, ownDataOf } from './old-name.ts';
import { readCertificate } from './pem-file.ts';

/**
 * The rows of a file for `domains import`, which may also have the columns `certificate` and `key`: paths of PEM files,
 * from the directory of the file on. Throws `CliError`.
 */
export async function* csvNames(file: string, now: number): AsyncGenerator<OldName & { path: PathOptions }> {
  for await (const { own: given = {}, files, ...row } of readRows(file)) {
    const { own, notes } = ownDataOf('csv', given.metadata ?? {}, given.externalId);
    const name = { ...row, own, notes };
    const { certificate = '', key = '' } = files ?? {};
    if (row.problem !== null || (certificate === '' && key === '')) yield name;
    else if (certificate === '' || key === '')
      yield { ...name, notes: [...notes, 'Without a certificate: it needs both "certificate" and "key".'] };
    else {
      const paths = { certificate: resolve(dirname(file), certificate), key: resolve(dirname(file), key) };
      const read = await readCertificate(row.domain, paths, now);
      if ('certificate' in read) yield { ...name, certificate: read.certificate };
      else yield { ...name, notes: [...notes, `Without its certificate: ${read.reason}`] };
    }
  }
}
