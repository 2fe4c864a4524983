import { useCallback, useEffect, useRef, useState } from 'react';
import type { VerificationStep } from '../../../data/contract/verification.ts';
import { serverClock } from '../../data/server-clock.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { checkError, type StakeVerification, type VerifyStake } from './verify-stake.ts';

type Verification =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'verifying';
      readonly walletAddress: string;
      /** Unix ms. */
      readonly startedAt: number;
      /** The last step that the portal reported; null before the first. */
      readonly step: VerificationStep | null;
    }
  | { readonly kind: 'decided'; readonly result: StakeVerification }
  | { readonly kind: 'failed'; readonly message: string; readonly advice: string };

const IDLE: Verification = { kind: 'idle' };

/** Checks one wallet at a time, and shows a toast if a check fails. */
export function useVerification(check: VerifyStake) {
  const [verification, setVerification] = useState<Verification>(IDLE);
  const controllerRef = useRef<AbortController | null>(null);
  const clear = useCallback(() => {
    controllerRef.current?.abort();
    controllerRef.current = null;
    setVerification(IDLE);
  }, []);
  const verify = useCallback(
    async (walletAddress: string) => {
      controllerRef.current?.abort();
      const controller = new AbortController();
      controllerRef.current = controller;
      setVerification({ kind: 'verifying', walletAddress, startedAt: serverClock.now(), step: null });
      try {
        const result = await check(walletAddress, {
          signal: controller.signal,
          onStep: (step) => {
            if (controller.signal.aborted) return;
            setVerification((current) => (current.kind === 'verifying' ? { ...current, step } : current));
          },
        });
        if (controller.signal.aborted) return;
        // `clear` must not abort a finished request: the browser would report it as failed.
        controllerRef.current = null;
        setVerification({ kind: 'decided', result });
      } catch (error) {
        if (controller.signal.aborted) return;
        const { message, advice } = checkError(error);
        setVerification({ kind: 'failed', message, advice });
        void showToast({ title: 'Verification Failed', text: message, kind: 'failure', seconds: 10 });
      }
    },
    [check],
  );
  useEffect(() => () => controllerRef.current?.abort(), []);
  return { verification, verify, clear };
}
