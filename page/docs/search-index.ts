import type { Options } from 'minisearch';

/** A section of a page. */
export interface Section {
  /** Path and anchor. */
  id: string;
  /** Title of the page. */
  page: string;
  /** Heading of the section; that of the page above the first one. */
  heading: string;
  text: string;
  /** The beginning of the text, which results show. */
  excerpt: string;
}

/** The build makes the index with these, and the page reads it with them. */
export const INDEX_OPTIONS: Options<Section> = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading', 'excerpt'],
  searchOptions: {
    boost: { heading: 4, page: 3 },
    combineWith: 'AND',
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
};
