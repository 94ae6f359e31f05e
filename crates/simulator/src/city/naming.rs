//! Chinese names for streets, districts and places of a city that does not exist.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

const CITIES: &[&str] = &["云港", "鹭屿", "榕湾", "澜州", "望海", "青屿", "临沧湾", "沙溪"];
const ARTERIALS: &[&str] = &[
    "人民", "中山", "解放", "建设", "迎宾", "新华", "和平", "文昌", "鼓楼", "凤凰", "金榜", "云顶", "仙岳",
    "长青", "南湖", "北辰", "海天", "吕岭", "嘉禾", "开元", "厦禾", "东渡", "龙山", "莲岳", "机场", "体育",
    "学府", "科技", "兴业", "港中", "江头", "石鼓", "双拥", "前埔", "洪文", "西林", "岭兜", "柯厝", "钟宅",
    "高林",
];
const FIRST: &[&str] = &[
    "文", "长", "永", "福", "金", "明", "东", "南", "新", "兴", "华", "泰", "安", "荣", "和", "广", "瑞",
    "玉", "锦", "松", "梅", "竹", "莲", "湖", "溪", "桥", "塔", "古", "青", "翠", "龙", "凤", "鹤", "云",
    "星", "晨", "宏", "德", "仁", "礼", "学", "博", "思", "致", "同", "源",
];
const SECOND: &[&str] = &[
    "安", "和", "兴", "园", "昌", "盛", "宁", "康", "乐", "祥", "庆", "丰", "林", "泉", "岭", "浦", "湾",
    "港", "埔", "坂", "厝", "屿", "亭", "井", "前", "后", "门", "里", "光", "辉", "山", "阳", "春", "贤",
    "义", "信", "善", "美", "景", "秀",
];
const DISTRICTS: &[&str] =
    &["鼓楼", "临江", "东湖", "高新", "滨海", "文昌", "港城", "大学城", "西岭", "南屿", "云山", "北辰"];
const PLACES: &[(&str, u8)] = &[
    ("火车站", 1),
    ("市政府", 1),
    ("汽车客运站", 1),
    ("轮渡码头", 1),
    ("体育中心", 1),
    ("会展中心", 1),
    ("人民医院", 2),
    ("中心医院", 2),
    ("妇幼保健院", 2),
    ("大学", 1),
    ("师范学院", 2),
    ("理工学院", 2),
    ("第一中学", 2),
    ("实验小学", 3),
    ("软件园", 1),
    ("科技园", 2),
    ("新天地广场", 1),
    ("城市广场", 2),
    ("美食街", 3),
    ("图书馆", 2),
    ("博物馆", 2),
    ("大剧院", 2),
    ("植物园", 2),
    ("青少年宫", 3),
    ("花鸟市场", 3),
    ("农贸市场", 3),
    ("万和城", 2),
    ("步行街", 2),
    ("税务大厅", 3),
    ("工人文化宫", 3),
    ("第二中学", 3),
    ("外国语学校", 3),
    ("电影院", 3),
    ("创业大厦", 3),
    ("金融中心", 2),
    ("海关大楼", 3),
    ("邮政大楼", 3),
    ("老年大学", 3),
    ("游泳馆", 3),
    ("中医院", 2),
];

/// Hands out each name once.
pub struct Namer {
    arterials: Vec<&'static str>,
    districts: Vec<&'static str>,
    places: Vec<(&'static str, u8)>,
    pairs: Vec<(usize, usize)>,
    next_pair: usize,
    /// The city's own name.
    pub city: &'static str,
}

fn shuffled<T: Copy>(rng: &mut ChaCha8Rng, from: &[T]) -> Vec<T> {
    let mut all = from.to_vec();
    for i in (1..all.len()).rev() {
        all.swap(i, rng.gen_range(0..=i));
    }
    all
}

impl Namer {
    /// A namer whose order follows from `rng` alone.
    pub fn new(rng: &mut ChaCha8Rng) -> Self {
        let pairs: Vec<(usize, usize)> = (0..FIRST.len())
            .flat_map(|a| (0..SECOND.len()).map(move |b| (a, b)))
            .filter(|(a, b)| FIRST[*a] != SECOND[*b])
            .collect();
        Self {
            arterials: shuffled(rng, ARTERIALS),
            districts: shuffled(rng, DISTRICTS),
            places: PLACES.to_vec(),
            pairs: shuffled(rng, &pairs),
            next_pair: 0,
            city: CITIES[rng.gen_range(0..CITIES.len())],
        }
    }

    /// A main street's name without its ending; falls back to two-character names when the good ones are gone.
    pub fn arterial(&mut self) -> String {
        self.arterials.pop().map_or_else(|| self.pair(), str::to_owned)
    }

    /// A district's name with its ending.
    pub fn district(&mut self) -> String {
        match self.districts.pop() {
            Some(name) if name.ends_with('城') => name.to_owned(),
            Some(name) => format!("{name}区"),
            None => format!("{}片区", self.pair()),
        }
    }

    /// Two characters not handed out before; after some 1,800 of them a number is added.
    pub fn pair(&mut self) -> String {
        let round = self.next_pair / self.pairs.len();
        let (a, b) = self.pairs[self.next_pair % self.pairs.len()];
        self.next_pair += 1;
        if round == 0 {
            format!("{}{}", FIRST[a], SECOND[b])
        } else {
            format!("{}{}{}", FIRST[a], SECOND[b], chinese_number(round + 1))
        }
    }

    /// The next place and its class (1 most important); none when all are used.
    pub fn place(&mut self) -> Option<(String, u8)> {
        if self.places.is_empty() {
            return None;
        }
        let (name, class) = self.places.remove(0);
        let named = if class == 1 { format!("{}{name}", self.city) } else { name.to_owned() };
        Some((named, class))
    }
}

/// 1 to 99 as people write it on street signs.
pub fn chinese_number(n: usize) -> String {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    match n {
        0 => "零".to_owned(),
        1..=9 => DIGITS[n].to_owned(),
        10..=19 => format!("十{}", DIGITS[n - 10]),
        20..=99 => format!("{}十{}", DIGITS[n / 10], DIGITS[n % 10]),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_on_street_signs() {
        assert_eq!(
            ["一", "十", "十二", "二十", "四十七"].map(str::to_owned),
            [1, 10, 12, 20, 47].map(chinese_number)
        );
    }
}
