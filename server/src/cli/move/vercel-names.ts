import { quote } from '../../domain/text.ts';
import { CliError } from '../cli-error.ts';
import { MOST_NAMES, type OldName, ownDataOf, recordOf, textIn } from './old-name.ts';
import type { VendorApi } from './vendor-api.ts';

/** The most that Vercel lists on a page. */
const PAGE = 100;

/**
 * The domains of a project, newest first
 * (https://vercel.com/docs/rest-api/projects/retrieve-project-domains-by-project-by-id-or-name). Throws `CliError`.
 */
export async function* vercelNames(ask: VendorApi, project: string, teamId?: string): AsyncGenerator<OldName> {
  const path = `/v9/projects/${encodeURIComponent(project)}/domains`;
  // Names of the same millisecond may be on two pages: the next one begins with it.
  const seen = new Set<string>();
  for (let until: number | undefined; ; ) {
    const { domains, pagination } = recordOf(await ask(path, { limit: PAGE, until, teamId }));
    const { next } = recordOf(pagination);
    if (!Array.isArray(domains)) throw new CliError('Vercel responded without domains. Check the address of its API.');
    const before = seen.size;
    for (const item of domains) {
      const name = textIn(item, 'name') ?? '';
      if (seen.has(name)) continue;
      seen.add(name);
      yield oldName(item, name, seen.size);
    }
    if (seen.size > MOST_NAMES) throw new CliError(`The project has more than ${MOST_NAMES} domains.`);
    if (typeof next !== 'number') return;
    if (seen.size === before || (until !== undefined && next + 1 >= until))
      throw new CliError('Vercel lists the same domains again and again.');
    until = next + 1;
  }
}

function oldName(item: unknown, domain: string, line: number): OldName {
  const { verified, redirectStatusCode: code } = recordOf(item);
  const redirect = textIn(item, 'redirect');
  const { own, notes } = ownDataOf('vercel', {});
  if (verified !== true) notes.push('Vercel had not verified it.');
  return {
    line,
    domain,
    own,
    ...(redirect !== undefined && { redirect: { to: redirect, status: typeof code === 'number' ? code : null } }),
    notes,
    ...leftOutOf(item, domain),
    problem: null,
    share: 0,
  };
}

/** Vercel's own names, and those of branches and of other environments than production. */
function leftOutOf(item: unknown, domain: string): { leftOut?: string } {
  const branch = textIn(item, 'gitBranch');
  const other = textIn(item, 'customEnvironmentId');
  const add = 'Add it to an environment of its own: nameplate domains create.';
  if (/(^|\.)(vercel\.app|now\.sh)$/i.test(domain)) return { leftOut: "The name is one of Vercel's own." };
  if (branch !== undefined) return { leftOut: `It serves the branch ${quote(branch)}. ${add}` };
  if (other !== undefined) return { leftOut: `It serves the environment ${quote(other)}. ${add}` };
  return {};
}
