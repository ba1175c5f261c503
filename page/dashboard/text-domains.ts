const number = new Intl.NumberFormat('en');

/** `1 name`, `2,000 names`. */
export function names(count: number): string {
  return `${number.format(count)} ${count === 1 ? 'name' : 'names'}`;
}

/** Every text of the list of domains, in English. */
export const DOMAINS_TEXT = {
  add: 'Add names',
  search: 'Search',
  searchHint: 'Part of a name, key=value, or id:EXTERNAL-ID',
  all: 'All',
  filters: { status: 'Status', certificate: 'Certificate', live: 'Seen from outside', environment: 'Environment' },
  certificates: {
    wanted: 'About to be ordered',
    waiting_for_routing: 'Held back',
    ordering: 'Being ordered',
    issued: 'In use',
    renewing: 'Being renewed',
    failed: 'Failed',
  },
  lives: { live: 'Live', partly_live: 'Live in part', unreachable: 'Unreachable' },
  columns: { choose: 'Choose', name: 'Name', state: 'State', since: 'Since', turn: 'Whose turn' },
  choose: (name: string) => `Choose ${name}`,
  chooseAll: 'Choose all that are loaded',
  chosen: (count: number) => `${names(count)} chosen`,
  chooseNone: 'Choose none',
  sendLinks: 'Make set-up links',
  loaded: (count: number, hasMore: boolean, total: number | null) =>
    total === null || total < count
      ? `${names(count)}${hasMore ? ', and more below' : ''}`
      : `${number.format(count)} of ${names(total)} loaded`,
  searching: 'Searching…',
  none: 'No name matches',
  noneHint: 'Take a filter away, or look for the text in another place.',
  clear: 'Take all filters away',
  asExternalId: (text: string) => `Look for “${text}” as an external id`,
  empty: 'There are no names yet',
  emptyHint: 'Paste the names of your customers: each gets its DNS records at once.',
  adding: {
    title: 'Add names',
    environment: 'Into this environment',
    noEnvironment: 'There is no environment yet. Make one first:',
    names: 'Names, one in each line',
    hint: 'Up to 1,000. Behind a comma or a tab: your own id of the customer.',
    tooMany: (count: number) => `These are ${names(count)}; up to 1,000 can be added at once.`,
    add: (count: number) => (count === 0 ? 'Add names' : `Add ${names(count)}`),
    again: (count: number) => (count === 0 ? 'Try corrected names again' : `Try ${names(count)} again`),
    progress: (done: number, all: number) => `${number.format(done)} of ${number.format(all)} sent`,
    waiting: 'The rate limit is reached: the others are sent in a moment. You can leave this open.',
    stop: 'Stop',
    added: (count: number) => `${names(count)} added`,
    there: (count: number) => `${names(count)} there already`,
    mistakes: (count: number) => `${names(count)} with a mistake`,
    line: (line: number) => `Line ${line}`,
    outcomes: 'Names that were added',
    outcomeColumns: ['Line', 'Name', 'State'],
    isThere: 'There already',
    more: 'Add others',
  },
  links: {
    title: 'Set-up links',
    text: 'Each link opens the page of one name, with its DNS records, for a week. Whoever has it needs no account.',
    make: (count: number) => (count === 1 ? 'Make the link' : `Make ${number.format(count)} links`),
    made: (count: number) => `${number.format(count)} ${count === 1 ? 'link' : 'links'} made`,
    columns: ['Name', 'Link'],
    copyAll: 'Copy all',
    what: (name: string) => `the link of ${name}`,
    once: 'They are shown this once.',
  },
} as const;
