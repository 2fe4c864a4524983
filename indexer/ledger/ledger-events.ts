import type { LedgerEvents } from './chain.ts';

type Listeners = { readonly [E in keyof LedgerEvents]: Set<LedgerEvents[E]> };

/** Who listens to the ledger. A listener that throws is reported and does not stop the others, nor the ledger. */
export function createLedgerEvents(onSlotListeners: (count: number) => void): {
  on<E extends keyof LedgerEvents>(event: E, listener: LedgerEvents[E]): () => void;
  emit<E extends keyof LedgerEvents>(event: E, ...args: Parameters<LedgerEvents[E]>): void;
  has(event: keyof LedgerEvents): boolean;
} {
  const listeners: Listeners = { transaction: new Set(), accountChange: new Set(), slot: new Set() };
  return {
    on(event, listener) {
      const group = listeners[event];
      group.add(listener);
      onSlotListeners(listeners.slot.size);
      return () => {
        group.delete(listener);
        onSlotListeners(listeners.slot.size);
      };
    },
    emit(event, ...args) {
      for (const listener of [...listeners[event]]) {
        try {
          Reflect.apply(listener, undefined, args);
        } catch (error) {
          console.error(`A listener to the ledger's ${event} events failed:`, error);
        }
      }
    },
    has: (event) => listeners[event].size > 0,
  };
}
