/** Notifies listeners in this process when deliveries are queued. */
export interface QueueSignal {
  /** Calls the listeners after the current turn of the event loop. The current SQLite transaction has ended by then. */
  announce(): void;
  onQueued(listener: () => void): () => void;
}

export function createQueueSignal(): QueueSignal {
  const listeners = new Set<() => void>();
  let isPending = false;
  const notify = (): void => {
    isPending = false;
    for (const listener of listeners) listener();
  };
  return {
    announce: () => {
      if (isPending) return;
      isPending = true;
      setImmediate(notify);
    },
    onQueued: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
