import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';
import { checkedFiles } from './checked-files.ts';
import { resolveFacts } from './facts.ts';

/** Text in which `{{name}}` is replaced with a fact. */
export const text = z
  .string()
  .min(1)
  .transform((value, context) => {
    try {
      return resolveFacts(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

export const secureUrl = z.url({
  protocol: /^https$/,
  error: 'must be a full URL that begins with https://',
});

export const pagePath = z.templateLiteral(['/', z.string()]);

/** The name of a link to another site, from `content/outside-links.yaml`. */
export const outsideLinkId = z.enum([
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

/** The position of an entry in its folder. Steps of ten leave room for new entries. */
export const order = z.int().positive();

/** Search engines show about 180 characters. */
export const description = text.refine((value) => value.length <= 180, 'is longer than 180 characters');

export function texts<Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;
}

export const titledText = z.strictObject(texts('title', 'text'));
export const labeledValue = z.strictObject(texts('label', 'value'));

export const contactAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('link'), label: text, link: outsideLinkId }),
  z.strictObject({ kind: z.literal('email'), label: text, subject: text.optional() }),
  z.strictObject({ kind: z.literal('form'), label: text, category: text }),
]);
export type ContactAction = z.infer<typeof contactAction>;

/** Other phrasings of the questions that an entry answers, for the assistant. */
export const askedAs = z.array(z.string().min(3)).min(1).optional();
/** Other phrasings of the questions that the sections of a page answer, by the section's anchor. */
export const sectionsAskedAs = z.record(z.string(), z.array(z.string().min(3)).min(1)).optional();

/** A collection that consists of one file in `content/`, read with `fieldsOf` or `renderSingle`. */
export function fileCollection<Schema extends z.ZodType>(
  file: `${string}.${'yaml' | 'mdx'}`,
  schema: Schema,
) {
  return defineCollection({ loader: checkedFiles('./content', file, schema), schema });
}

export function folderCollection<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  pattern: string | string[] = '**/*.mdx',
) {
  return defineCollection({ loader: checkedFiles(`./content/${name}`, pattern, schema), schema });
}

export function yamlFolderCollection<Schema extends z.ZodType>(name: string, schema: Schema) {
  return defineCollection({ loader: checkedFiles(`./content/${name}`, '*.yaml', schema), schema });
}
