/** Labels of the document's enums, made by `npm run api`; not to be edited. */
import type { components } from './openapi'

type Schemas = components['schemas']

/** 加盟商状态 */
export const franchiseeStateLabels = {
  0: '洽谈',
  1: '合作中',
  2: '到期',
  3: '解约',
} as const satisfies Record<Schemas['FranchiseeState'], string>
