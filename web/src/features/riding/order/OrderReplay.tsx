import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, Checkbox, DatePicker, Select } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { returnClassLabels } from '@/api/generated/labels'
import { numberedOptionsOf } from '@/kit/choice'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { compared, momentOf, NOTHING_TRIED, type OrderInfo, orderReplay, type WhatIf, writtenOf } from './order'

const WRITTEN = 'YYYY-MM-DD HH:mm:ss'
/** Left where it truly was. */
const AS_IT_WAS = -1
const places = numberedOptionsOf(returnClassLabels)

/** The fare computed again from what was stored, and what it would be, had the ride ended otherwise. Nothing is written. */
export function OrderReplay({ order }: { order: OrderInfo }) {
  const [tried, setTried] = useState<WhatIf>(NOTHING_TRIED)
  const put = (change: Partial<WhatIf>) => setTried((before) => ({ ...before, ...change }))
  const query = useQuery({ ...orderReplay(order.orderId, tried), placeholderData: keepPreviousData })
  const shown = query.data?.tried ?? query.data?.computed
  return (
    <section className="panel order-part" aria-label="重算与假设">
      <h2>重算与假设</h2>
      <LoadFailure query={query} text="重算失败" />
      {query.data && (
        <Alert
          type={query.data.same ? 'success' : 'error'}
          showIcon
          title={query.data.same ? '按当时的计费版本重算，每一分钱都与订单一致' : '按当时的计费版本重算，与订单不一致'}
        />
      )}
      <div className="order-tried">
        <div className="order-try">
          <span>结束时间</span>
          <DatePicker
            aria-label="假设结束时间"
            showTime
            format={WRITTEN}
            placeholder={order.endAt ? writtenOf(order.endAt) : ''}
            value={tried.endTime === null ? null : dayjs(writtenOf(tried.endTime))}
            onChange={(picked) => put({ endTime: picked ? momentOf(picked.format(WRITTEN)) : null })}
          />
        </div>
        <div className="order-try">
          <span>还车位置</span>
          <Select
            aria-label="假设还车位置"
            value={tried.left ?? AS_IT_WAS}
            options={[{ value: AS_IT_WAS, label: '与订单相同' }, ...places]}
            disabled={tried.withoutPenalty}
            onChange={(left) => put({ left: left === AS_IT_WAS ? null : (left as WhatIf['left']) })}
          />
        </div>
        <Checkbox checked={tried.withoutPenalty} onChange={({ target }) => put({ withoutPenalty: target.checked })}>
          不收调度费与头盔费
        </Checkbox>
      </div>
      {query.data && shown && (
        <table className="order-receipt" aria-label="订单与假设的费用" aria-busy={query.isPlaceholderData}>
          <thead>
            <tr>
              <th scope="col">规则</th>
              <th scope="col">订单（元）</th>
              <th scope="col">{query.data.tried ? '假设（元）' : '重算（元）'}</th>
            </tr>
          </thead>
          <tbody>
            {compared(query.data.stored, shown).map(({ rule, stored, other }) => (
              <tr key={rule} className={stored === other ? undefined : 'order-differs'}>
                <th scope="row">{rule}</th>
                <td>
                  <Money cents={stored} />
                </td>
                <td>
                  <Money cents={other} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">应付</th>
              <td>
                <strong>
                  <Money cents={query.data.stored.payCents} />
                </strong>
              </td>
              <td>
                <strong>
                  <Money cents={shown.payCents} />
                </strong>
              </td>
            </tr>
          </tfoot>
        </table>
      )}
    </section>
  )
}
