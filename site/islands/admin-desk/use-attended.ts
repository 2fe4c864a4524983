import { useEffect, useState } from 'react';

/** Milliseconds without a key or a pointer after which nobody is taken to be there. */
const LEFT_AFTER = 5 * 60_000;

/** Whether somebody works on the page. What is read by itself would keep the session of a desk that was left alive. */
export function useAttended(): boolean {
  const [isAttended, setAttended] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const hear = () => {
      setAttended(true);
      clearTimeout(timer);
      timer = setTimeout(() => setAttended(false), LEFT_AFTER);
    };
    hear();
    const signs = ['pointermove', 'pointerdown', 'keydown'] as const;
    for (const sign of signs) addEventListener(sign, hear, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, hear);
    };
  }, []);
  return isAttended;
}
