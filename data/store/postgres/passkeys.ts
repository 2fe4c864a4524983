import type { NewPasskey, Passkey, PasskeyChallenge } from '../passkey-port.ts';
import { secretHash } from '../rules/secret-hash.ts';
import type { Database, Queries } from './database.ts';

const COLUMNS = 'id, "adminId", name, "publicKey", counter, "createdAt", "lastUsedAt"';

/** Each method runs in the caller's transaction. */
export function preparePasskeys({ statement }: Database) {
  const statements = {
    addChallenge: statement(`
      with expired as (delete from $.passkey_challenges where "expiresAt" <= $5)
      insert into $.passkey_challenges ("challengeHash", purpose, "adminId", "expiresAt") values ($1, $2, $3, $4)`),
    consumeChallenge: statement<PasskeyChallenge>(`
      delete from $.passkey_challenges where "challengeHash" = $1 and "expiresAt" > $2 returning purpose, "adminId"`),
    allOfAdmin: statement<Passkey>(
      `select ${COLUMNS} from $.admin_passkeys where "adminId" = $1 order by "createdAt", id`,
    ),
    byId: statement<Passkey>(`select ${COLUMNS} from $.admin_passkeys where id = $1`),
    add: statement(`
      insert into $.admin_passkeys (id, "adminId", name, "publicKey", counter, "createdAt")
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing`),
    saveCounter: statement(`
      update $.admin_passkeys set counter = $3, "lastUsedAt" = $4
      where id = $1 and "adminId" = $2 and (counter < $3 or (counter = 0 and $3 = 0))`),
    remove: statement('delete from $.admin_passkeys where id = $1 and "adminId" = $2'),
    removeAllOf: statement('delete from $.admin_passkeys where "adminId" = $1'),
  };
  return {
    async addChallenge(
      on: Queries,
      text: string,
      { purpose, adminId }: PasskeyChallenge,
      now: number,
      expiresAt: number,
    ) {
      await on.run(statements.addChallenge, secretHash(text), purpose, adminId, expiresAt, now);
    },
    consumeChallenge: (on: Queries, text: string, now: number) =>
      on.get(statements.consumeChallenge, secretHash(text), now),
    allOfAdmin: (on: Queries, adminId: string) => on.all(statements.allOfAdmin, adminId),
    find: (on: Queries, id: string) => on.get(statements.byId, id),
    add: async (on: Queries, { id, adminId, name, publicKey, counter, createdAt }: NewPasskey) =>
      (await on.run(statements.add, id, adminId, name, publicKey, counter, createdAt)) > 0,
    /**
     * Stores the counter of an accepted signature. A counter that is always 0 is allowed.
     * @returns false if the counter is not higher than the stored one, or the admin has no such passkey
     */
    saveCounter: async (
      on: Queries,
      adminId: string,
      { id, counter }: { readonly id: string; readonly counter: number },
      at: number,
    ) => (await on.run(statements.saveCounter, id, adminId, counter, at)) > 0,
    remove: async (on: Queries, adminId: string, id: string) =>
      (await on.run(statements.remove, id, adminId)) > 0,
    removeAllOf: (on: Queries, adminId: string) => on.run(statements.removeAllOf, adminId),
  };
}
