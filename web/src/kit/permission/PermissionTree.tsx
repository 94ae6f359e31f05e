import { useQuery } from '@tanstack/react-query'
import { Alert, Button, ConfigProvider, Empty, Input, Skeleton, Tree, type TreeDataNode } from 'antd'
import { useMemo, useState } from 'react'
import { type Branch, flatten, marks, refusalOf, search, toggle } from './codes'
import { grantableTree, type TreeSource } from './tree'
import './permission.css'

interface PermissionTreeProps {
  id?: string
  /** Chosen codes. */
  value?: string[]
  onChange?(codes: string[]): void
  /** Tier of the role: some codes are for some tiers only. */
  tier: number
  /** Where the tree comes from; the operator's own when absent. */
  source?: TreeSource
}

function nodes(branches: readonly Branch[], tier: number): TreeDataNode[] {
  return branches.map((branch) => {
    const refusal = refusalOf(branch, tier)
    return {
      key: branch.code,
      disableCheckbox: refusal !== null,
      title: (
        <span className={refusal === null ? undefined : 'weak'} title={refusal ?? undefined}>
          {branch.title} <span className="code-hint">{branch.code}</span>
        </span>
      ),
      children: nodes(branch.children ?? [], tier),
    }
  })
}

/** Picks permission codes by group, page and action. */
export function PermissionTree({ id, value = [], onChange, tier, source = grantableTree }: PermissionTreeProps) {
  const { componentDisabled } = ConfigProvider.useConfig()
  const query = useQuery(source)
  const [text, setText] = useState('')
  const [expanded, setExpanded] = useState<string[]>([])
  const tree = useMemo(() => query.data ?? [], [query.data])
  const shown = useMemo(() => search(tree, text.trim()), [tree, text])
  const data = useMemo(() => nodes(shown, tier), [shown, tier])
  const groups = useMemo(() => flatten(shown).filter((branch) => branch.children?.length).map((branch) => branch.code), [shown])

  if (query.isLoading) return <Skeleton active paragraph={{ rows: 6 }} />
  if (query.isError) {
    return <Alert type="error" showIcon title="权限树加载失败" action={<Button size="small" onClick={() => void query.refetch()}>重试</Button>} />
  }
  const everyCode = flatten(tree)
  const open = text.trim() === '' ? expanded : groups
  return (
    <div className="permission-tree" id={id} role="group" aria-label="权限">
      {/* Looking around in the tree is no change of the role. */}
      <ConfigProvider componentDisabled={false}>
        <div className="permission-head">
          <Input.Search allowClear placeholder="搜索权限名称或编码" aria-label="搜索权限" value={text} onChange={(event) => setText(event.target.value)} />
          <span className="weak figure">
            已选 {everyCode.filter((branch) => value.includes(branch.code)).length} / {everyCode.length}
          </span>
          <Button size="small" type="link" onClick={() => setExpanded(expanded.length === 0 ? groups : [])}>
            {expanded.length === 0 ? '全部展开' : '全部收起'}
          </Button>
        </div>
      </ConfigProvider>
      {data.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有匹配的权限" />
      ) : (
        <Tree
          checkable
          checkStrictly
          disabled={componentDisabled}
          selectable={false}
          height={360}
          treeData={data}
          checkedKeys={marks(tree, value)}
          expandedKeys={open}
          onExpand={(keys) => setExpanded(keys.map(String))}
          onCheck={(_, { node, checked }) => {
            const branch = everyCode.find(({ code }) => code === node.key)
            if (branch) onChange?.(toggle(tree, value, branch, checked, tier))
          }}
        />
      )}
    </div>
  )
}
