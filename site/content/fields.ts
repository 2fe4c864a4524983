import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';
import { facts } from './facts.ts';
import { resolveFacts } from './resolve-facts.ts';

/** The kinds of field that words come in. A wrong or unknown field fails the build with its file and name. */

/** Text; a fact stands in it as `{{name}}`. */
export const words = z
  .string()
  .min(1)
  .transform((text, context) => {
    try {
      return resolveFacts(text, facts);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

export const secureUrl = z.url({
  protocol: /^https$/,
  error: 'must be a full address that begins with https://',
});

/** A page of this site. */
export const pagePath = z.templateLiteral(['/', z.string()]);

/** A link that leaves the site, by its name in `content/links.yaml`. */
export const outsideLink = z.enum([
  'corporate-site',
  'staking-portal',
  'card-services',
  'card-services-login',
  'community',
  'whatsapp',
  'ceo-chat',
  'vault-explorer',
  'blockchain-explorer',
  'buy-token',
  'token-chart',
  'mailing-list',
]);
export type OutsideLinkName = z.infer<typeof outsideLink>;

/** Title and text, the commonest pair. */
export const titledText = z.strictObject({ title: words, text: words });
export const labelledValue = z.strictObject({ label: words, value: words });

/** A way to reach people: a link that leaves the site, a mail to the house, or the form of the contact page. */
export const contactAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('link'), label: words, link: outsideLink }),
  z.strictObject({ kind: z.literal('email'), label: words, subject: words.optional() }),
  z.strictObject({ kind: z.literal('form'), label: words, category: words }),
]);
export type ContactAction = z.infer<typeof contactAction>;

/** A collection of one file in `content/`, whose entry has the file's name without its ending. */
export function oneFile<Schema extends z.ZodType>(file: `${string}.${'yaml' | 'mdx'}`, schema: Schema) {
  return defineCollection({ loader: glob({ base: './content', pattern: file }), schema });
}

/** A collection of a folder of `content/`, with an entry a file. */
export function folder<Schema extends z.ZodType>(name: string, ending: 'yaml' | 'mdx', schema: Schema) {
  return defineCollection({
    loader: glob({ base: `./content/${name}`, pattern: `*.${ending}` }),
    schema,
  });
}
