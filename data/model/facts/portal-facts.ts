import { PORTAL_LIMITS } from '../portal-limits.ts';
import { SERVICE_TIMES } from '../service-times.ts';
import { duration } from './wording.ts';

/** Support, sessions and data, as running text reads them. */
export const PORTAL_FACTS = {
  emailResponse: duration(SERVICE_TIMES.emailHours, 'hour'),
  chatResponse: duration(SERVICE_TIMES.chatHours, 'hour'),
  priorityResponse: duration(SERVICE_TIMES.priorityHours, 'hour'),
  privacyResponse: duration(SERVICE_TIMES.privacyDays, 'day'),
  chatLimit: String(PORTAL_LIMITS.chatQuestionLength),
  signInExpiry: duration(PORTAL_LIMITS.signInMinutes, 'minute'),
  adminIdle: duration(PORTAL_LIMITS.adminIdleMinutes, 'minute'),
  adminSessionLimit: duration(PORTAL_LIMITS.adminSessionHours, 'hour'),
  uploadLimit: `${PORTAL_LIMITS.uploadMegabytes} MB`,
  documentRetention: duration(PORTAL_LIMITS.documentRetentionDays, 'day'),
  minimumAge: String(PORTAL_LIMITS.minimumAgeYears),
} as const;
