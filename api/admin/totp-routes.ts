import { beginTotp, confirmTotp, disableTotp, renewRecoveryCodes } from '../../data/contract/admin-totp.ts';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import { type AuthorizeAdmin, adminCall, type SignedInAdmin } from './authorize-admin.ts';
import { reauthenticate, reauthenticateWithPassword } from './reauthenticate.ts';
import { newRecoveryCodes, normalizeRecoveryCode, type SecondFactors } from './second-factor.ts';

const NOT_SET_UP = 'Two-factor authentication is not set up. Set it up first.';

/** The calls that set up two-factor authentication, renew its recovery codes and turn it off. */
export function totpRoutes(
  context: AdminContext,
  authorize: AuthorizeAdmin,
  factors: SecondFactors,
): readonly ApiRoute[] {
  const { store, now } = context;

  const accountOf = async (admin: SignedInAdmin): Promise<AdminCredentials> => {
    const account = await store.byId(admin.id);
    if (!account) throw new ApiError('not-signed-in');
    return account;
  };
  const requireTotp = async (admin: SignedInAdmin, isSetUp: boolean): Promise<void> => {
    if ((await accountOf(admin)).hasTotp !== isSetUp)
      throw new ApiError('totp-state', isSetUp ? { text: NOT_SET_UP } : {});
  };
  const recordOf = (admin: SignedInAdmin, action: string) => adminRecord(admin, { action, at: now() });
  const changes = { authorize, limit: 'admin-changes' } as const;

  return [
    adminCall(beginTotp, changes, async (admin, { password }) => {
      await requireTotp(admin, false);
      await reauthenticateWithPassword(admin, password, context, async () => true);
      const { sealedSecret, ...offered } = factors.createTotpSecret(admin);
      if (!(await store.offerTotp(admin.id, sealedSecret, recordOf(admin, 'admin.totp-offered')))) {
        throw new ApiError('totp-state');
      }
      return offered;
    }),
    adminCall(confirmTotp, changes, async (admin, { code }) => {
      const account = await accountOf(admin);
      if (account.hasTotp || !account.totp) throw new ApiError('totp-state');
      const { sealedSecret } = account.totp;
      const step = await reauthenticate(admin, context, async () => factors.totpStepOf(account, code));
      const codes = newRecoveryCodes();
      const confirmed = {
        sealedSecret,
        step,
        recoveryCodes: codes.map(normalizeRecoveryCode),
        keepSession: admin.sessionId,
      };
      if (!(await store.confirmTotp(admin.id, confirmed, recordOf(admin, 'admin.totp-confirmed')))) {
        throw new ApiError('totp-state');
      }
      return { success: true, recoveryCodes: codes };
    }),
    adminCall(disableTotp, changes, async (admin, { password, code }) => {
      await requireTotp(admin, true);
      const factor = await reauthenticateWithPassword(admin, password, context, (account) =>
        factors.check(account, code),
      );
      const record = recordOf(admin, 'admin.totp-removed');
      if (!(await store.removeTotp(admin.id, factor, record))) throw new ApiError('wrong-password');
      return { success: true };
    }),
    adminCall(renewRecoveryCodes, changes, async (admin, { password, code }) => {
      await requireTotp(admin, true);
      const factor = await reauthenticateWithPassword(admin, password, context, async (account) => {
        const step = factors.totpStepOf(account, code);
        return step === null ? null : { kind: 'totp' as const, step };
      });
      const codes = newRecoveryCodes();
      const record = recordOf(admin, 'admin.recovery-codes-renewed');
      const isRenewed = await store.renewRecoveryCodes(
        admin.id,
        factor,
        codes.map(normalizeRecoveryCode),
        record,
      );
      if (!isRenewed) throw new ApiError('wrong-password');
      return { success: true, recoveryCodes: codes };
    }),
  ];
}
