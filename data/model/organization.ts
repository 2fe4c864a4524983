import { z } from 'zod';

/** The organization behind the portal, from `content/site.yaml`. */
export const organization = z.object({
  name: z.string(),
  supportEmail: z.email(),
  postalAddress: z.string(),
});
export type Organization = z.output<typeof organization>;
