import { beginTotp, confirmTotp, disableTotp, renewRecoveryCodes } from '../../data/contract/admin-totp.ts';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import type { ApiRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { adminAuditRecord } from './admin-audit.ts';
import type { AdminContext } from './admin-context.ts';
import { type AuthorizeAdmin, adminJsonRoute, type SignedInAdmin } from './authorize-admin.ts';
import { type CodeFactors, newRecoveryCodes, normalizeRecoveryCode } from './code-factor.ts';
import { reauthenticate, reauthenticateWithPassword } from './reauthenticate.ts';

const NOT_SET_UP = 'Two-factor authentication is not set up. Set it up first.';

export function totpRoutes(
  context: AdminContext,
  authorize: AuthorizeAdmin,
  codeFactors: CodeFactors,
): readonly ApiRoute[] {
  const { store, now } = context;

  const accountOf = async (admin: SignedInAdmin): Promise<AdminCredentials> => {
    const account = await store.byId(admin.id);
    if (!account) throw new ApiError('not-signed-in');
    return account;
  };
  const requireTotpState = async (admin: SignedInAdmin, isSetUp: boolean): Promise<void> => {
    if ((await accountOf(admin)).hasTotp !== isSetUp)
      throw new ApiError('totp-state', isSetUp ? { text: NOT_SET_UP } : {});
  };
  const auditRecord = (admin: SignedInAdmin, action: string) =>
    adminAuditRecord(admin, { action, at: now() });
  const changeOptions = { authorize, limit: 'admin-changes' } as const;

  return [
    adminJsonRoute(beginTotp, changeOptions, async (admin, { password }) => {
      await requireTotpState(admin, false);
      await reauthenticateWithPassword(admin, password, context, async () => true);
      const { sealedSecret, ...totpSetup } = codeFactors.createTotpSecret(admin);
      if (!(await store.offerTotp(admin.id, sealedSecret, auditRecord(admin, 'admin.totp-offered')))) {
        throw new ApiError('totp-state');
      }
      return totpSetup;
    }),
    adminJsonRoute(confirmTotp, changeOptions, async (admin, { code }) => {
      const account = await accountOf(admin);
      if (account.hasTotp || !account.totp) throw new ApiError('totp-state');
      const { sealedSecret } = account.totp;
      const step = await reauthenticate(admin, context, async () => codeFactors.totpStepOf(account, code));
      const codes = newRecoveryCodes();
      const confirmation = {
        sealedSecret,
        step,
        recoveryCodes: codes.map(normalizeRecoveryCode),
        keptSessionId: admin.sessionId,
      };
      if (!(await store.confirmTotp(admin.id, confirmation, auditRecord(admin, 'admin.totp-confirmed')))) {
        throw new ApiError('totp-state');
      }
      return { success: true, recoveryCodes: codes };
    }),
    adminJsonRoute(disableTotp, changeOptions, async (admin, { password, code }) => {
      await requireTotpState(admin, true);
      const factor = await reauthenticateWithPassword(admin, password, context, (account) =>
        codeFactors.check(account, code),
      );
      const record = auditRecord(admin, 'admin.totp-removed');
      if (!(await store.removeTotp(admin.id, factor, admin.sessionId, record)))
        throw new ApiError('wrong-password');
      return { success: true };
    }),
    adminJsonRoute(renewRecoveryCodes, changeOptions, async (admin, { password, code }) => {
      await requireTotpState(admin, true);
      const factor = await reauthenticateWithPassword(admin, password, context, async (account) => {
        const step = codeFactors.totpStepOf(account, code);
        return step === null ? null : { kind: 'totp' as const, step };
      });
      const codes = newRecoveryCodes();
      const record = auditRecord(admin, 'admin.recovery-codes-renewed');
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
