import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { TEXT } from './text.ts';

/** A page with a script of its own, which begins to load with `start`, at the latest once the page is shown. */
export type PageChunk<Props extends object> = FunctionComponent<Props> & { start(): Promise<void> };

/** `load` imports the page. Where that fails, for example because another version was deployed since, the page says so. */
export function pageChunk<Props extends object>(load: () => Promise<FunctionComponent<Props>>): PageChunk<Props> {
  let Page: FunctionComponent<Props> | undefined;
  let loading: Promise<void> | undefined;

  async function start(): Promise<void> {
    loading ??= load().then((loaded) => {
      Page = loaded;
    });
    try {
      await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  function Chunk(props: Props) {
    const [hasFailed, setFailed] = useState(false);
    const [, setLoaded] = useState(Page !== undefined);
    useEffect(() => {
      start().then(
        () => setLoaded(true),
        () => setFailed(true),
      );
    }, []);
    if (Page !== undefined) return <Page {...props} />;
    if (!hasFailed) return <p aria-busy="true">{TEXT.loading}</p>;
    return (
      <p class="failed" role="alert">
        {TEXT.chunkFailed} <Button onClick={() => location.reload()}>{TEXT.reload}</Button>
      </p>
    );
  }
  return Object.assign(Chunk, { start });
}
