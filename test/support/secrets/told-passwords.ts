/** Passwords in sentences, by language; `{p}` stands for the password. The `others` were kept back until the patterns were done. */
export interface Telling {
  language: string;
  sentences: readonly string[];
  others: readonly string[];
}

/** Formats of passwords that people choose or generators give. */
export const passwords: readonly string[] = [
  "{al6}{d2}",
  "{al4}{d3}!",
  "{al3}-{d4}-{al4}",
  "S{d1}cret{al3}{d2}",
  "{low6}{d1}{low3}{d1}",
  "{al5}@{d4}",
  "{al2}#{an8}{d1}",
];

export const tellings: readonly Telling[] = [
  {
    language: "en",
    sentences: [
      "the db password is {p}, remember it",
      "login with admin / {p} on staging",
      "log in as root:{p} please",
      "use {p} as the admin password",
      "user admin, password {p}",
      "credentials are bob@example.com / {p}",
      "the wifi passphrase for the office is now {p}",
      "password: {p}",
    ],
    others: [
      'my password for the test server is "{p}"',
      "sign in with demo@example.com / {p} to see it",
      "the root password was changed to {p} yesterday",
      "username: admin password: {p}",
      "set the passcode to {p}",
      "the admin's pwd = {p}",
    ],
  },
  {
    language: "ru",
    sentences: [
      "пароль от базы: {p}",
      "пароль {p}".replace("пароль", "пароль —"),
      "Пароль администратора теперь {p}, запомни",
      "для стенда пароль такой: {p}",
      "токен для доступа — {p}",
    ],
    others: [
      "пароль от сервера: {p}, логин admin",
      "Пароль — {p}.",
      "пароль для теста = {p}",
      "новый пароль это {p}",
    ],
  },
  {
    language: "es",
    sentences: [
      "la contraseña es {p}",
      "la contraseña de la base de datos es {p}, recuérdalo",
      "contraseña: {p}",
      "la clave del servidor es {p}",
      "el token de acceso es {p}",
    ],
    others: [
      "Contraseña del administrador: {p}",
      "la nueva contraseña será {p}",
      "usuario admin, contraseña: {p}",
      "mi clave es {p}",
    ],
  },
  {
    language: "de",
    sentences: [
      "das Passwort ist {p}",
      "das Passwort für die Datenbank lautet {p}",
      "Passwort: {p}",
      "das Datenbankpasswort ist {p}, merk dir das",
      "der API-Schlüssel ist {p}",
    ],
    others: [
      "Das Kennwort vom Testsystem lautet: {p}",
      "das neue Passwort für admin heißt {p}",
      "Benutzer admin, Passwort: {p}",
      "mein Passwort war {p}",
    ],
  },
  {
    language: "ja",
    sentences: [
      "パスワードは{p}です",
      "パスワード：{p}",
      "データベースのパスワードは「{p}」です。",
      "管理者パスワードは {p} に変更しました",
    ],
    others: [
      "テスト環境のパスワードは{p}。覚えておいて",
      "トークン: {p}",
      "パスワードが{p}になりました",
      "DBのパスワード = {p}",
    ],
  },
  {
    language: "zh",
    sentences: [
      "数据库密码是{p}",
      "密码：{p}，别忘了",
      "管理员密码为 {p}",
      "测试环境的口令是 {p}",
      "密鑰是 {p}",
    ],
    others: ["登录密码: {p}", "服务器密码改成 {p} 了", "令牌是{p}。", "密碼是 {p}"],
  },
  {
    language: "pt",
    sentences: [
      "a senha do banco é {p}",
      "senha: {p}",
      "a senha do administrador agora é {p}",
      "a chave de acesso é {p}",
    ],
    others: [
      "Senha do servidor: {p}",
      "minha senha é {p}",
      "usuário admin, senha: {p}",
      "a nova senha será {p}",
    ],
  },
  {
    language: "it",
    sentences: [
      "la password del db è {p}",
      "password: {p}",
      "la chiave di accesso è {p}",
      "la password di admin era {p}",
    ],
    others: [
      "La password del server è: {p}",
      "la nuova password sarà {p}",
      "utente admin, password: {p}",
      "il token è {p}",
    ],
  },
  {
    language: "fr",
    sentences: [
      "le mot de passe est {p}",
      "le mot de passe de la base est {p}, retiens-le",
      "mot de passe : {p}",
      "la clé d'accès est {p}",
    ],
    others: [
      "Mot de passe du serveur : {p}",
      "le nouveau mot de passe sera {p}",
      "mon mdp est {p}",
      "utilisateur admin, mot de passe : {p}",
    ],
  },
  {
    language: "ko",
    sentences: ["비밀번호는 {p} 입니다", "비밀번호: {p}", "DB 비밀번호는 {p}입니다", "관리자 비번은 {p}"],
    others: ["새 비밀번호는 {p}로 변경", "서버 암호는 {p}입니다", "패스워드: {p}", "토큰은 {p} 이에요"],
  },
];
