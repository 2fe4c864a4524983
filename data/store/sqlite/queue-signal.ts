/** Tells, within this process, that deliveries were queued. */
export interface QueueSignal {
  /** Called inside the transaction; the listeners hear of it after it. */
  announce(): void;
  /** @returns ends the listening. */
  onQueued(listener: () => void): () => void;
}

export function createQueueSignal(): QueueSignal {
  const listeners = new Set<() => void>();
  let isTelling = false;
  const tell = (): void => {
    isTelling = false;
    for (const listener of listeners) listener();
  };
  return {
    announce: () => {
      if (isTelling) return;
      isTelling = true;
      // A transaction runs to its end before anything else does, so this comes after it.
      setImmediate(tell);
    },
    onQueued: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
