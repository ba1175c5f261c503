import { useEffect } from 'preact/hooks';
import { TEXT } from './text.ts';

/** The title of a page, in the document. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${TEXT.product}`;
  }, [title]);
}
