import { useQuery } from '@tanstack/react-query'
import { Tag } from 'antd'
import { type CodeChange, flatten } from './codes'
import { grantableTree, type TreeSource } from './tree'

/** Which permissions come and which go, by name. */
export function CodeDiff({ change, source = grantableTree }: { change: CodeChange; source?: TreeSource }) {
  const query = useQuery(source)
  const titles = new Map(flatten(query.data ?? []).map((branch) => [branch.code, branch.title]))
  const line = (words: string, sign: string, color: string, codes: string[]) =>
    codes.length > 0 && (
      <div className="code-diff-line">
        <span className="weak">
          {words} {codes.length} 项
        </span>
        <div>
          {codes.map((code) => (
            <Tag key={code} color={color}>
              {sign} {titles.get(code) ?? code}
            </Tag>
          ))}
        </div>
      </div>
    )
  return (
    <div className="code-diff" aria-label="权限变更">
      {line('新增', '+', 'blue', change.added)}
      {line('移除', '−', 'red', change.removed)}
    </div>
  )
}
