import type { Command } from 'commander';
import type { Static } from 'typebox';
import type { UsageSchema } from '../../api/usage/usage-operations.ts';
import { systemClock } from '../../base/clock.ts';
import { type ApiOptions, apiCommand, parseDuration } from '../options.ts';
import { dateTime, listing, show } from '../output/output.ts';
import { connect } from './api-client.ts';

/** Usage as the API returns it. */
type ShownUsage = Static<typeof UsageSchema>;

const DEFAULT_MS = 7 * 86_400_000;

interface UsageOptions extends ApiOptions {
  last?: number;
  hours?: true;
}

export function addUsage(program: Command): void {
  const summary = 'Show the usage of a domain by day (UTC) or by hour: requests, bytes and errors.';
  apiCommand(program, 'usage <domain>', summary, ['shop.example.com', 'shop.example.com --last 24h --hours --json'])
    .option('--last <duration>', 'how far back to show, up to 90d (default: 7d)', parseDuration)
    .option('--hours', 'show hours instead of days')
    .action(async (domain: string, { last = DEFAULT_MS, hours, ...options }: UsageOptions) => {
      const api = await connect(options);
      const body = { domain, from: systemClock.now() - last, resolution: hours ? 'hour' : 'day' };
      const { usage } = await api.call<ShownUsage>('usage.getUsage', body);
      show(
        options,
        usage,
        listing(
          [
            {
              title: hours ? 'HOUR' : 'DAY',
              text: ({ at }) => (hours ? dateTime(at) : new Date(at).toISOString().slice(0, 10)),
            },
            { title: 'REQUESTS', text: ({ requests }) => String(requests) },
            { title: 'BYTES IN', text: ({ bytesIn }) => String(bytesIn) },
            { title: 'BYTES OUT', text: ({ bytesOut }) => String(bytesOut) },
            { title: 'EDGE 5XX', text: ({ edgeErrors }) => String(edgeErrors) },
            { title: 'ORIGIN 5XX', text: ({ originErrors }) => String(originErrors) },
          ],
          'Nothing was requested in this time. Usage is written once a minute.',
        ),
      );
    });
}
