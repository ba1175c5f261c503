/** Texts of the audit log. */
export const AUDIT = {
  about: 'Each change that a caller of the API or a command of the operator has made, newest first.',
  table: 'Audit log',
  columns: ['When', 'Who', 'What', 'On', 'Details', 'From'],
  actor: 'Who',
  action: 'What',
  target: 'On',
  hints: { actor: 'Name, id of a key or link', action: 'keys.createKey', target: 'Id or name' },
  filter: 'Filter',
  show: 'Show',
  clear: 'Show all',
  none: 'No entry matches',
  noneText: 'Filters find exact values only.',
  older: 'Older',
  newest: 'Newest',
  kinds: { root_key: 'key', dashboard_token: 'person', setup_link: 'set-up link', command: 'command' },
} as const;
