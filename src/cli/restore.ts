import type { Command } from 'commander';
import { ApiError, connect } from './api-client.ts';
import { EXIT } from './cli-error.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { printable, show } from './output.ts';
import { describeDomain, type ShownDomain } from './show-domain.ts';
import { withRetries } from './with-retries.ts';

/** Why a domain cannot be restored; any other error concerns all of them. */
const REFUSALS = [403, 404, 409, 412];

export function addRestore(domains: Command): void {
  const summary =
    'Bring deleted domains back, with their ids, records and certificates, within seven days unless the operator has set another time. Of several, each has a line of its own; exits with 3 if some were refused.';
  const example = 'nameplate domains restore shop.example.com';
  apiCommand(domains, 'restore <domain...>', summary, [example, `${example} www.example.com`]).action(
    async (names: string[], options: ApiOptions) => {
      const api = await connect(options);
      const restore = (domain: string) => api.call<ShownDomain>('domains.restoreDomain', { domain });
      const [only, ...others] = names;
      if (only !== undefined && others.length === 0) return show(options, await restore(only), describeDomain);
      const restored: ShownDomain[] = [];
      const refused: { domain: string; reason: string }[] = [];
      const tell = (name: string, text: string) => options.json || show({}, text, () => `${printable(name)}: ${text}`);
      for (const name of names) {
        try {
          const domain = await withRetries(() => restore(name));
          restored.push(domain);
          tell(name, `restored, ${domain.status}`);
        } catch (error) {
          if (!(error instanceof ApiError) || !REFUSALS.includes(error.status)) throw error;
          refused.push({ domain: name, reason: error.detail });
          tell(name, `not restored. ${printable(error.detail)}`);
        }
      }
      if (options.json) show(options, { restored, refused }, () => '');
      if (refused.length > 0) process.exitCode = EXIT.blocked;
    },
  );
}
