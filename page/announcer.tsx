import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';

const Announce = createContext<(text: string) => void>(() => {});

/** Announces a text to users of screen readers. */
export function useAnnouncer(): (text: string) => void {
  return useContext(Announce);
}

/** The region that screen readers read out. */
export function Announcer({ children }: { children: ComponentChildren }) {
  const [announced, setAnnounced] = useState('');
  const isOdd = useRef(false);
  const announce = useCallback((text: string) => {
    // A repeated text has to differ, or it is not read.
    isOdd.current = !isOdd.current;
    setAnnounced(isOdd.current ? text : `${text}\u00a0`);
  }, []);
  return (
    <Announce.Provider value={announce}>
      {children}
      <div class="sr" role="status">
        {announced}
      </div>
    </Announce.Provider>
  );
}
