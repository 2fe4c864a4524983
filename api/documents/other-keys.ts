import type { Logger } from '../../data/runtime/log.ts';
import type { LoanStore } from '../../data/store/loan-port.ts';
import type { MasterKey } from './master-key.ts';

/** Tells the operator at the start, before anyone needs them, of documents that the key at hand does not open. */
export async function warnOfOtherKeys(
  store: Pick<LoanStore, 'masterKeys'>,
  { name }: MasterKey,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  for (const { masterKey, documents } of await store.masterKeys()) {
    if (masterKey === name) continue;
    log.error(
      { masterKey, present: name, documents },
      'documents were encrypted under another master key and cannot be read: set DOCUMENT_KEY to it, or put back document.key',
    );
  }
}
