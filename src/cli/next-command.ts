import type { ApiClient } from './api-client.ts';
import { type ApiOptions, dataFlag } from './options.ts';
import { paint, printable } from './output.ts';

/** The command to run next. For the playground it is written as it is typed in the clone. */
export function nextCommand(api: ApiClient, options: ApiOptions, command: string): string {
  return `Next: ${paint('bold', typedCommand(api, options, command))}`;
}

/** A command as its reader types it. */
export function typedCommand({ playground }: ApiClient, options: ApiOptions, command: string): string {
  const program = playground === null ? 'nameplate' : './bin/nameplate';
  return `${program} ${printable(command)}${dataFlag(options.data)}`;
}
