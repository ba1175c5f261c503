import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';

const Say = createContext<(text: string) => void>(() => {});

/** Says a text to those who hear the page. */
export function useSpoken(): (text: string) => void {
  return useContext(Say);
}

/** Holds the region that screen readers read out. */
export function Announcer({ children }: { children: ComponentChildren }) {
  const [said, setSaid] = useState('');
  const isOdd = useRef(false);
  const say = useCallback((text: string) => {
    // The same text again has to be another one, or it is not read.
    isOdd.current = !isOdd.current;
    setSaid(isOdd.current ? text : `${text}\u00a0`);
  }, []);
  return (
    <Say.Provider value={say}>
      {children}
      <div class="sr" role="status">
        {said}
      </div>
    </Say.Provider>
  );
}
