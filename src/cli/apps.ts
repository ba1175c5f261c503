import type { Command } from 'commander';
import { addLevel } from './tree-commands.ts';

export function addApps(program: Command): void {
  addLevel(program, {
    plural: 'apps',
    singular: 'app',
    summary: 'Apps of a project.',
    parents: ['project'],
    create: 'apps.createApp',
    list: 'apps.listApps',
    example: 'storefront --project shop',
  });
}
