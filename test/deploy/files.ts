import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLONE } from '../support/command.ts';

/** A file of the clone. */
export function read(path: string): string {
  return readFileSync(join(CLONE, path), 'utf8');
}

export function assignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** How compose.yaml and the chart confine the image, and how its test starts it. */
export const CONFINED = { user: 1000, readOnly: true, capabilities: [], noNewPrivileges: true, temporary: ['/tmp'] };
