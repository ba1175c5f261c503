/** Every text of the dashboard, in English. Texts of the API about mistakes (`message`, `fix`) are shown as they are. */
export const TEXT = {
  product: 'Nameplate',
  opening: 'Opening the dashboard…',
  tryAgain: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  command: { summary: 'As a call', asCurl: 'Copy as curl', asCommand: 'Copy as command' },
  loginCommand: 'nameplate dashboard login --workspace ws_… --as YOUR-NAME --preset owner',
  entrance: {
    link: {
      title: 'This sign-in link does not work any more',
      text: 'Each link works once, for five minutes. Make another one on the server, or ask the operator for one:',
    },
    session: {
      title: 'Sign in to the dashboard',
      text: 'Make a sign-in link on the server, or ask the operator for one, and open it here:',
    },
    failed: { title: 'The server cannot be reached', text: 'Nothing is lost. Check your connection, then try again.' },
  },
  pages: {
    home: 'Who needs me',
    domains: 'Domains',
    environments: 'Environments',
    keys: 'Keys',
    webhooks: 'Webhooks',
    moving: 'Moving in',
    audit: 'Audit log',
    brand: 'Brand',
  },
  menu: 'Pages',
  loading: 'Loading…',
  lost: 'The server cannot be reached. What you see is as old as the last answer.',
  palette: {
    open: 'Go to…',
    title: 'Go to a page or a name',
    label: 'Page or name',
    pages: 'Page',
    none: 'Nothing matches.',
    results: (count: number) => (count === 1 ? '1 match' : `${count} matches`),
  },
  noConnection: 'The server cannot be reached.',
  statuses: {
    pending: 'Not checked yet',
    verifying: 'Being verified',
    verified: 'Verified',
    failed: 'Checks ended',
  },
  words: {
    live: 'Live',
    live_in_part: 'Live in part',
    redirects: 'Redirects',
    suspended: 'Suspended',
    ready_to_switch: 'Ready to switch',
    waiting_for_records: 'Waiting for DNS records',
    records_wrong: 'DNS needs a change',
    waiting_for_certificate: 'Waiting for the certificate',
    certificate_stopped: 'No certificate',
    not_looked_at: 'Verified',
    unreachable: 'Unreachable',
    checks_ended: 'Checks ended',
  },
  suspended: (status: number, byOperator: boolean) =>
    `The site is suspended${byOperator ? ' by the operator of the server' : ''}: visitors get a page with status ${status}.`,
  outside: (state: string, problems: string) =>
    problems === ''
      ? null
      : `${state === 'partly_live' ? 'Some visitors' : 'Visitors'} do not reach the site: ${problems}.`,
  turns: { owner: 'Its owner', us: 'Us', ca: 'The CA', nobody: '' },
  list: {
    search: 'Search',
    status: 'Status',
    anyStatus: 'Any',
    none: 'No domain matches.',
    more: 'Next page',
    columns: ['Name', 'State', 'Since', 'Whose turn'],
  },
  domain: { missing: 'There is no such domain.', found: 'Found', notFound: 'Not found' },
  skip: 'Skip to the content',
  signOut: 'Sign out',
  signOutEverywhere: 'Sign out everywhere',
  notFound: { title: 'There is no such page', text: 'The address may have been copied in part.' },
  failedToLoad: 'This could not be loaded.',
  chunkFailed: 'This page could not be loaded. The server has a newer version, or cannot be reached.',
  reload: 'Load the dashboard again',
} as const;

export type PageName = keyof typeof TEXT.pages;
