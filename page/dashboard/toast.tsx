import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { ActionButton } from './action-button.tsx';
import { Button } from './button.tsx';
import { TEXT } from './text.ts';

interface Toast {
  text: string;
  /** Such as an undo. */
  action?: { label: string; run: () => Promise<unknown> };
}

const Show = createContext<(toast: Toast) => void>(() => {});
const SHOWN_MS = 6_000;

/** Shows what was done, below the page; with an action it stays until it is closed or replaced. */
export function useToast(): (toast: Toast) => void {
  return useContext(Show);
}

export function Toasts({ children }: { children: ComponentChildren }) {
  const [toast, setToast] = useState<Toast | null>(null);
  const close = useCallback(() => setToast(null), []);
  useEffect(() => {
    if (toast === null || toast.action !== undefined) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, close]);
  const { action } = toast ?? {};
  return (
    <Show.Provider value={setToast}>
      {children}
      <div class="toasts" role="status">
        {toast && (
          <div class="toast">
            <p>{toast.text}</p>
            {action && (
              <ActionButton isSmall run={() => action.run().then(close)}>
                {action.label}
              </ActionButton>
            )}
            <Button isSmall onClick={close}>
              {TEXT.close}
            </Button>
          </div>
        )}
      </div>
    </Show.Provider>
  );
}
