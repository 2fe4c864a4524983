import { useRef, useState } from 'react';
import type { Changed } from './account-calls.ts';

/** How the last change that a form asked for went. */
export type ChangeState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'done'; readonly words: string };

export interface Change {
  readonly state: ChangeState;
  readonly isBusy: boolean;
  /** Asks for a change, one at a time. `onDone` answers what to say of its success; null says nothing. */
  readonly run: <Body>(
    asked: () => Promise<Changed<Body>>,
    onDone: (body: Body) => string | null,
  ) => Promise<void>;
  /** Says that nothing was asked for, and why. */
  readonly refuse: (words: string) => void;
  readonly clear: () => void;
}

/** The state of a form that changes one thing at the server. */
export function useChange(): Change {
  const [state, setState] = useState<ChangeState>({ kind: 'idle' });
  const isUnderWay = useRef(false);
  return {
    state,
    isBusy: state.kind === 'busy',
    run: async (asked, onDone) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      setState({ kind: 'busy' });
      const outcome = await asked();
      isUnderWay.current = false;
      if (outcome.kind === 'failed') return setState(outcome);
      const words = onDone(outcome.body);
      setState(words === null ? { kind: 'idle' } : { kind: 'done', words });
    },
    refuse: (words) => setState({ kind: 'failed', words }),
    clear: () => setState({ kind: 'idle' }),
  };
}
