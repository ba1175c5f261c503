import type { Command } from 'commander';
import { addLevel } from './tree-commands.ts';

export function addProjects(program: Command): void {
  addLevel(program, {
    plural: 'projects',
    singular: 'project',
    summary: 'Projects of the workspace.',
    parents: [],
    create: 'projects.createProject',
    list: 'projects.listProjects',
    example: 'shop',
  });
}
