import { quote } from '../../domain/text.ts';
import { CliError } from '../cli-error.ts';
import { MOST_NAMES, type OldName, ownDataOf, recordOf, textIn } from './old-name.ts';
import type { VendorApi } from './vendor-api.ts';

/** The most that Cloudflare lists on a page. */
const PAGE = 50;
/** A list that changes while it is read is read so often. */
const MOST_PASSES = 5;

/**
 * The custom hostnames of a zone (https://developers.cloudflare.com/api/resources/custom_hostnames/methods/list). A
 * name that is deleted meanwhile moves others to pages that were read: the list is read again until it stays as it is
 * for a whole pass. Throws `CliError`.
 */
export async function* cloudflareNames(ask: VendorApi, zone: string): AsyncGenerator<OldName> {
  const seen = new Set<string>();
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    let total: number | undefined;
    let hasChanged = false;
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const listed = recordOf(await ask(`/zones/${zone}/custom_hostnames`, { page, per_page: PAGE }));
      const { result } = listed;
      const { total_count: count, total_pages } = recordOf(listed.result_info);
      if (
        !Array.isArray(result) ||
        result.length > PAGE ||
        typeof count !== 'number' ||
        typeof total_pages !== 'number'
      )
        throw new CliError('Cloudflare responded without a page of custom hostnames. Check the address of its API.');
      if (count > MOST_NAMES) throw tooMany();
      hasChanged ||= total !== undefined && total !== count;
      total = count;
      pages = Math.min(total_pages, Math.ceil(count / PAGE));
      for (const item of result) {
        const id = textIn(item, 'id') ?? JSON.stringify(item);
        if (seen.has(id)) continue;
        seen.add(id);
        if (seen.size > MOST_NAMES) throw tooMany();
        yield oldName(item, seen.size, page / Math.max(1, pages));
      }
    }
    if (!hasChanged && seen.size >= (total ?? 0)) return;
  }
  throw new CliError(
    'The list of custom hostnames changed each time it was read, or is shorter than Cloudflare says. Run the same command again.',
  );
}

function tooMany(): CliError {
  return new CliError(`The zone has more than ${MOST_NAMES} custom hostnames.`);
}

function oldName(item: unknown, line: number, share: number): OldName {
  const { custom_metadata, custom_origin_server: origin, ssl } = recordOf(item);
  const domain = textIn(item, 'hostname') ?? '';
  const old = { ...recordOf(custom_metadata), ...(typeof origin === 'string' && { custom_origin_server: origin }) };
  const { own, notes } = ownDataOf('cloudflare', old, textIn(item, 'id'));
  const states = [textIn(item, 'status') ?? 'unknown', textIn(ssl, 'status') ?? 'unknown'];
  if (states.some((state) => state !== 'active'))
    notes.push(`Cloudflare had it as ${quote(states[0] ?? '')}, and its certificate as ${quote(states[1] ?? '')}.`);
  if (typeof origin === 'string')
    notes.push(`Its requests went to an origin of its own, ${quote(origin)}: "nameplate domains update" sets one.`);
  const hidden = textIn(custom_metadata, 'custom_origin_server');
  if (typeof origin === 'string' && hidden !== undefined)
    notes.push(`The metadata is without its own "custom_origin_server": ${JSON.stringify(hidden)}`);
  if (recordOf(ssl).wildcard === true)
    notes.push('Its certificate was for all names below it, too: add them as a name of their own, with "*.".');
  return { line, domain, own, notes, problem: null, share };
}
