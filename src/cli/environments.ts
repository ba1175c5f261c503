import type { Command } from 'commander';
import { addLevel } from './tree-commands.ts';

export function addEnvironments(program: Command): void {
  addLevel(program, {
    plural: 'environments',
    singular: 'environment',
    summary: 'Environments of an app: what domains are attached to.',
    parents: ['project', 'app'],
    create: 'environments.createEnvironment',
    list: 'environments.listEnvironments',
    example: 'staging --project shop --app storefront',
  });
}
